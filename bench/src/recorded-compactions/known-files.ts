import type { Block, ToolCall } from "palimpsest";
import type { LoggedMessage } from "./boundaries.ts";

/** What happens to a file: the lines that are read, or the text that is replaced. */
export interface Touch {
  readonly path: string;
  readonly access: "read" | "edit";
  readonly lines?: readonly [first: number, last: number];
  readonly replaced?: string;
  /** What comes in its place, or the whole of a new file. */
  readonly written?: string;
}

/** The reads and edits of recorded agents, each with what came back. */
export function touchesOf(messages: readonly LoggedMessage[]): (Touch & { readonly result: string })[] {
  const calls = new Map<string, ToolCall>();
  const touches: (Touch & { result: string })[] = [];
  for (const block of messages.flatMap(({ blocks }) => blocks)) {
    if (block.kind === "tool_call") calls.set(block.id, block);
    const call = block.kind === "tool_result" ? calls.get(block.callId) : undefined;
    const touch = call && toTouch(call);
    if (touch === undefined || block.kind !== "tool_result" || block.status === "error") continue;
    touches.push({ ...touch, result: resultText(block) });
  }
  return touches;
}

function toTouch({ name, input }: ToolCall): Touch | undefined {
  const fields = (typeof input === "object" && input !== null ? input : {}) as Readonly<Record<string, unknown>>;
  const path = fields["file_path"] ?? fields["path"];
  const access = /^(read|view)/i.test(name) ? "read" : /^(edit|write|multiedit)/i.test(name) ? "edit" : undefined;
  if (access === undefined || typeof path !== "string") return undefined;
  const [offset, limit] = [fields["offset"], fields["limit"]];
  const first = typeof offset === "number" ? Math.max(1, offset) : 1;
  const replaced = fields["old_string"] ?? fields["oldText"];
  const written = fields["content"] ?? fields["new_string"] ?? fields["newText"];
  return {
    path,
    access,
    ...(typeof limit === "number" ? { lines: [first, first + limit - 1] as const } : {}),
    ...(typeof replaced === "string" ? { replaced } : {}),
    ...(typeof written === "string" ? { written } : {}),
  };
}

function resultText({ content }: Extract<Block, { kind: "tool_result" }>): string {
  return typeof content === "string"
    ? content
    : content.map((part) => (part.kind === "text" ? part.text : "")).join("\n");
}

/** Lines that were never read are of this length: the files are not there any more. */
const UNSEEN_LINE = "?".repeat(35);

/** The files of a session as far as its reads and edits have shown them. */
export function contentsOf(messages: readonly LoggedMessage[]): Map<string, string> {
  const files = new Map<string, string>();
  for (const touch of touchesOf(messages)) {
    const known = files.get(touch.path) ?? "";
    files.set(touch.path, touch.access === "read" ? withRead(known, touch) : withEdit(known, touch));
  }
  return files;
}

function withRead(content: string, { lines, result }: Touch & { readonly result: string }): string {
  const known = content === "" ? [] : content.split("\n");
  const numbered = Array.from(
    result.matchAll(/^\s*(\d{1,7})[\u2192\t](.*)$/gm),
    ([, line, text]) => [Number(line), text!] as const,
  );
  // Some agents show lines without numbers.
  const shown =
    numbered.length > 0
      ? numbered
      : result.split("\n").map((text, index) => [(lines?.[0] ?? 1) + index, text] as const);
  for (const [line, text] of shown) known[line - 1] = text;
  return Array.from(known, (text) => text ?? UNSEEN_LINE).join("\n");
}

function withEdit(content: string, { replaced, written }: Touch): string {
  if (written === undefined) return content;
  return replaced === undefined || replaced === "" ? written : content.replace(replaced, () => written);
}
