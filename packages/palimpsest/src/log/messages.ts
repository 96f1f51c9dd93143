import type { Block, Part, Text, ToolResult } from "./block.ts";
import type { AttachmentPayload, MessagePayload, Replacement } from "./payload.ts";
import { HOST, OUTSIDE, type Provenance } from "./provenance.ts";

/** A tool's result that is taken in as it comes: `toolResult(callId, stream)` makes one. */
export interface StreamedResult {
  readonly callId: string;
  readonly chunks: AsyncIterable<Uint8Array | string>;
  /** A function is asked when all of it is there. */
  readonly status: ToolResult["status"] | (() => ToolResult["status"]);
}

export function isStreamed(content: unknown): content is StreamedResult {
  return typeof content === "object" && content !== null && "chunks" in content;
}

/** What the user says: text, or blocks with images and documents. */
export function user(content: string | readonly Block[]): MessagePayload {
  return { role: "user", blocks: toBlocks(content), origin: "human" };
}

/** What a tool returned for a call. */
export function toolResult(
  callId: string,
  content: string | readonly Part[],
  status?: ToolResult["status"],
): MessagePayload;
/**
 * What a tool puts out, while it puts it out.
 * @param status a function is asked when all of it is there
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

const COMMAND: Provenance = { kind: "tool", name: "command" };

/** Output of a command that the user ran beside the model. Marked as such here, not guessed from its text later. */
export function commandOutput(text: string): MessagePayload {
  return { role: "user", blocks: [{ kind: "text", text }], origin: "command", provenance: COMMAND };
}

/** Something for the user only: progress, an error, a notice. Kept in the log and never sent. */
export function notice(text: string): MessagePayload {
  return { role: "user", blocks: [{ kind: "text", text }], origin: "host", audience: "user" };
}

/**
 * Content that the host adds for the model, such as a file or a reminder. It is sent as part of a user message, between tags
 * that its text cannot close.
 * @param provenance where the text comes from. `{ kind: "host" }` makes it a reminder in the host's own words; any other
 *   text is shown to the model as data. @default { kind: "outside" }
 */
export function attachment(
  type: string,
  content: string | readonly Block[],
  provenance: Provenance = OUTSIDE,
): AttachmentPayload {
  return { type, blocks: toBlocks(content), provenance };
}

/** What stands first: words of the host, or texts that each say where they come from. */
export type HeadContent = string | readonly Text[];

/** The type of the attachment that stands before all that is said. */
export const HEAD = "head";

/** The same, put in the place of what is folded. */
export function headInPlace(head: HeadContent): Replacement {
  return { role: "user", origin: "host", attachment: HEAD, blocks: toBlocks(head), provenance: HOST };
}

/** The head as an attachment of its own. */
export function headAttachment(head: HeadContent): AttachmentPayload {
  return attachment(HEAD, head, HOST);
}

/** The words of a head, for counting. */
export function headText(head: HeadContent): string {
  return typeof head === "string" ? head : head.map(({ text }) => text).join("\n");
}

function toBlocks(content: string | readonly Block[]): readonly Block[] {
  return typeof content === "string" ? [{ kind: "text", text: content }] : content;
}

function isAsyncIterable(content: unknown): content is StreamedResult["chunks"] {
  return typeof content === "object" && content !== null && Symbol.asyncIterator in content;
}

/** What can be appended to a session; a string is something that the user says. */
export type NewContent = string | MessagePayload | NewAttachment;

/** Content that the host adds for the model. */
interface NewAttachment extends Omit<AttachmentPayload, "provenance"> {
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
