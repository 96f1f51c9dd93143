import type { Block } from "../log/block.ts";
import type { Draft } from "../log/entry.ts";
import type { AttachmentPayload, MessagePayload } from "../log/payload.ts";
import { toDraft } from "../log/to-draft.ts";
import { user } from "./messages.ts";

/** What can be appended to a session; a string is something that the user says. */
export type NewContent = string | MessagePayload | AttachmentPayload;

/** The entries for new content: each tool result becomes one of its own, so that a decision can name it. */
export function toDrafts(content: NewContent): Draft[] {
  if (typeof content === "string") return [toDraft("message", user(content))];
  if (!("role" in content)) return [toDraft("attachment", content)];
  // What is no list of blocks is refused when it is appended.
  if (!Array.isArray(content.blocks)) return [toDraft("message", content)];
  return groups(content.blocks).map((blocks) => toDraft("message", { ...content, blocks }));
}

function groups(blocks: readonly Block[]): Block[][] {
  const groups: Block[][] = [];
  for (const block of blocks) {
    const last = groups.at(-1);
    const alone = block.kind === "tool_result" || last?.[0]?.kind === "tool_result";
    if (last === undefined || alone) groups.push([block]);
    else last.push(block);
  }
  return groups;
}
