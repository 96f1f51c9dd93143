import type { StreamedResult } from "../session/streamed-result.ts";
import type { Block, Part, Text, ToolResult } from "./block.ts";
import type { AttachmentPayload, MessagePayload, Replacement } from "./payload.ts";
import { HOST, OUTSIDE, type Provenance } from "./provenance.ts";

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
