import type { Block } from "../../log/block.ts";
import { attachment } from "../../log/messages.ts";
import type { MessagePayload } from "../../log/payload.ts";
import type { NewContent } from "../to-contents.ts";
import type { Part } from "./to-parts.ts";

/** The type of the attachment that a system message in the middle of a list becomes. */
export const SYSTEM_ATTACHMENT = "system";

/**
 * Parts of a list as what is appended. Those of one message stay together, except that results, calls and words of the user
 * each have their own origin.
 * @param first a number that no list before this one has begun with
 */
export function newContents(parts: readonly Part[], first: number): readonly NewContent[] {
  const runs: { readonly first: Part; readonly blocks: Block[] }[] = [];
  for (const part of parts) {
    const last = runs.at(-1);
    if (last !== undefined && isSameRun(last.first, part)) last.blocks.push(part.block);
    else runs.push({ first: part, blocks: [part.block] });
  }
  return runs.map((run, index) => toContent(run.first, run.blocks, first + index));
}

function isSameRun(one: Part, other: Part): boolean {
  return one.of === other.of && originOf(one) === originOf(other);
}

function originOf({ role, stream }: Part): "system" | MessagePayload["origin"] {
  if (stream === "system") return "system";
  if (role === "assistant") return "model";
  return stream === "result" ? "tool" : "human";
}

function toContent(first: Part, blocks: readonly Block[], number: number): NewContent {
  const origin = originOf(first);
  if (origin === "system") return attachment(SYSTEM_ATTACHMENT, blocks);
  // Each is a response of its own: pieces of one would be sent as one message, before the results between them.
  const response = origin === "model" ? { responseId: `synced-${number}` } : {};
  return { role: first.role, blocks, origin, ...response };
}
