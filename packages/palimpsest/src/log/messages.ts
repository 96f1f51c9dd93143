// Messages as a host writes them, and their split into the contents of entries.

import type { Block, Part, Text, ToolResult } from "./block.ts";
import type { AttachmentPayload, MessagePayload, Replacement } from "./payload.ts";
import { HOST, OUTSIDE, type Provenance } from "./provenance.ts";

/** Content that a host can append to a session. A string is a user message. */
export type NewContent = string | MessagePayload | NewAttachment;

/** Content that the host adds for the model. */
interface NewAttachment extends Omit<AttachmentPayload, "provenance"> {
  /** The source of the text. @default { kind: "outside" } */
  readonly provenance?: Provenance;
}

/** Splits new content into the contents of entries. Each tool result gets its own entry, so that a decision can refer to it. */
export function toContents(content: NewContent): readonly (MessagePayload | AttachmentPayload)[] {
  if (typeof content === "string") return [user(content)];
  // An attachment counts as the host's own words only if it says so.
  if (!("role" in content)) return [{ ...content, provenance: content.provenance ?? OUTSIDE }];
  // The append refuses blocks that are not a list.
  if (!Array.isArray(content.blocks)) return [content];
  return groups(content.blocks).map((blocks) => ({ ...content, blocks }));
}

/** Groups blocks by entry. */
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

/** Makes a user message: text, or blocks with images and documents. */
export function user(content: string | readonly Block[]): MessagePayload {
  return { role: "user", blocks: toBlocks(content), origin: "human" };
}

/** Makes the message with the result of a tool call. */
export function toolResult(
  callId: string,
  content: string | readonly Part[],
  status?: ToolResult["status"],
): MessagePayload;
/**
 * Makes the result of a tool call from a stream, which is stored while it arrives.
 * @param status a function is called at the end of the stream
 */
export function toolResult(
  callId: string,
  chunks: StreamedResult["chunks"],
  status?: StreamedResult["status"],
): StreamedResult;
export function toolResult(
  callId: string,
  content: string | readonly Part[] | StreamedResult["chunks"],
  status: StreamedResult["status"] = "ok",
): MessagePayload | StreamedResult {
  if (isAsyncIterable(content)) return { callId, chunks: content, status };
  const result = { kind: "tool_result", callId, content, status: status as ToolResult["status"] } as const;
  return { role: "user", blocks: [result], origin: "tool" };
}

/** A tool result that arrives as a stream. `toolResult(callId, stream)` makes one. */
export interface StreamedResult {
  readonly callId: string;
  readonly chunks: AsyncIterable<Uint8Array | string>;
  /** A function is called at the end of the stream. */
  readonly status: ToolResult["status"] | (() => ToolResult["status"]);
}

export function isStreamed(content: unknown): content is StreamedResult {
  return typeof content === "object" && content !== null && "chunks" in content;
}

function isAsyncIterable(content: unknown): content is StreamedResult["chunks"] {
  return typeof content === "object" && content !== null && Symbol.asyncIterator in content;
}

const COMMAND: Provenance = { kind: "tool", name: "command" };

/** Makes a message with the output of a command that the user ran. The model sees the output as data. */
export function commandOutput(text: string): MessagePayload {
  return { role: "user", blocks: [{ kind: "text", text }], origin: "command", provenance: COMMAND };
}

/** Makes a message for the user only, such as progress or an error. It stays in the log and is never sent. */
export function notice(text: string): MessagePayload {
  return { role: "user", blocks: [{ kind: "text", text }], origin: "host", audience: "user" };
}

/**
 * Makes an attachment: content that the host adds for the model, such as a file or a reminder. It is sent as part of a user
 * message, between tags that its text cannot close.
 * @param provenance the source of the text. `{ kind: "host" }` makes the attachment a reminder in the host's own words. The model
 *   sees text of any other source as data. @default { kind: "outside" }
 */
export function attachment(
  type: string,
  content: string | readonly Block[],
  provenance: Provenance = OUTSIDE,
): AttachmentPayload {
  return { type, blocks: toBlocks(content), provenance };
}

/** The host content before the first message: one text from the host, or several texts with a provenance each. */
export type HeadContent = string | readonly Text[];

/** The type of the attachment with the host content before the first message. */
export const HEAD = "head";

/** Makes the host content a part of what a compaction shows instead of earlier items. */
export function headInPlace(head: HeadContent): Replacement {
  return { role: "user", origin: "host", attachment: HEAD, blocks: toBlocks(head), provenance: HOST };
}

/** Makes the host content an attachment. */
export function headAttachment(head: HeadContent): AttachmentPayload {
  return attachment(HEAD, head, HOST);
}

/** Joins the texts of the host's content, so that their tokens can be counted. */
export function headText(head: HeadContent): string {
  return typeof head === "string" ? head : head.map(({ text }) => text).join("\n");
}

function toBlocks(content: string | readonly Block[]): readonly Block[] {
  return typeof content === "string" ? [{ kind: "text", text: content }] : content;
}
