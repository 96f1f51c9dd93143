import type { Block } from "../log/block.ts";
import type { MessagePayload } from "../log/payload.ts";

/** Divides a message of the user's side: each tool result becomes a message of its own, because it can be referred to. */
export function splitResults(blocks: readonly Block[], origin: MessagePayload["origin"]): MessagePayload[] {
  const payloads: MessagePayload[] = [];
  let rest: Block[] = [];
  const flush = (): void => {
    if (rest.length > 0) payloads.push({ role: "user", blocks: rest, origin });
    rest = [];
  };
  for (const block of blocks) {
    if (block.kind !== "tool_result") {
      rest.push(block);
      continue;
    }
    flush();
    payloads.push({ role: "user", blocks: [block], origin: "tool" });
  }
  flush();
  return payloads;
}
