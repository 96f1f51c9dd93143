import type { SyncMessage } from "./sync-message.ts";

/** The texts of the system messages that a list begins with: together they are the system prompt. */
export function leadingSystem(messages: readonly SyncMessage[]): readonly string[] {
  const first = messages.findIndex(({ role }) => role !== "system");
  return messages.slice(0, first < 0 ? messages.length : first).map(({ content }) => textOf(content));
}

function textOf(content: SyncMessage["content"]): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("\n\n");
}
