import type { Block, ToolCall } from "palimpsest";
import type { LoggedMessage } from "./boundaries.ts";

/** What happens to a file: the lines that are read, or the text that is replaced. */
export interface Touch {
  readonly path: string;
  readonly access: "read" | "edit";
  readonly lines?: readonly [first: number, last: number];
  readonly replaced?: string;
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

function toTouch({ name, input }: ToolCall): (Touch & { written?: string }) | undefined {
  const fields = (typeof input === "object" && input !== null ? input : {}) as Readonly<Record<string, unknown>>;
  const path = fields["file_path"] ?? fields["path"];
  const access = /^(read|view)/i.test(name) ? "read" : /^(edit|write|multiedit)/i.test(name) ? "edit" : undefined;
  if (access === undefined || typeof path !== "string") return undefined;
  const [offset, limit] = [fields["offset"], fields["limit"]];
  const first = typeof offset === "number" ? Math.max(1, offset) : 1;
  const replaced = fields["old_string"] ?? fields["oldText"];
  return {
    path,
    access,
    ...(typeof limit === "number" ? { lines: [first, first + limit - 1] as const } : {}),
    ...(typeof replaced === "string" ? { replaced } : {}),
    ...(typeof fields["content"] === "string" ? { written: fields["content"] } : {}),
  };
}

function resultText({ content }: Extract<Block, { kind: "tool_result" }>): string {
  return typeof content === "string"
    ? content
    : content.map((part) => (part.kind === "text" ? part.text : "")).join("\n");
}

/** Lines that were never read are of this length: the files are not there any more. */
const UNSEEN_LINE = "?".repeat(35);

/** The files of a session as far as their reads and edits have shown them. */
export function contentsOf(messages: readonly LoggedMessage[]): Map<string, string> {
  const files = new Map<string, Map<number, string>>();
  for (const { path, access, lines, result } of touchesOf(messages)) {
    const known = files.get(path) ?? new Map<number, string>();
    files.set(path, known);
    const numbered = [...result.matchAll(/^\s*(\d{1,7})[\u2192\t](.*)$/gm)];
    for (const [, number, text] of numbered) known.set(Number(number), text!);
    // Some agents show lines without numbers.
    if (numbered.length > 0 || access === "edit") continue;
    for (const [index, text] of result.split("\n").entries()) known.set((lines?.[0] ?? 1) + index, text);
  }
  return new Map(
    Array.from(files, ([path, known]) => {
      const last = [...known.keys()].reduce((most, line) => Math.max(most, line), 0);
      const lines = Array.from({ length: last }, (_, index) => known.get(index + 1) ?? UNSEEN_LINE);
      return [path, lines.join("\n")];
    }),
  );
}
