import type { Block } from "../log/block.ts";
import { user } from "../log/messages.ts";
import type { AttachmentPayload, MessagePayload } from "../log/payload.ts";
import { OUTSIDE, type Provenance } from "../log/provenance.ts";

/** What can be appended to a session; a string is something that the user says. */
export type NewContent = string | MessagePayload | NewAttachment;

/** Content that the host adds for the model. */
export interface NewAttachment extends Omit<AttachmentPayload, "provenance"> {
  /** Where its text comes from. @default { kind: "outside" } */
  readonly provenance?: Provenance;
}

/** New content in pieces, one for each entry: a tool result is one of its own, so that a decision can name it. */
export function toContents(content: NewContent): readonly (MessagePayload | AttachmentPayload)[] {
  if (typeof content === "string") return [user(content)];
  // Without a word about it, nothing speaks for the host.
  if (!("role" in content)) return [{ ...content, provenance: content.provenance ?? OUTSIDE }];
  // What is no list of blocks is refused when it is appended.
  if (!Array.isArray(content.blocks)) return [content];
  return groups(content.blocks).map((blocks) => ({ ...content, blocks }));
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
