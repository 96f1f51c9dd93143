import type { Block } from "palimpsest";
import { cleanText } from "../text/clean-text.ts";
import { type DiffLine, diffLines } from "../text/diff-lines.ts";
import type { TranscriptEntry } from "./read-transcript.ts";

const SIGNS: Readonly<Record<DiffLine["kind"], string>> = { same: " ", added: "+", removed: "-", skipped: "⋮" };

/** The same entries; calls of Edit and Write are shown as the difference that they make, as in the question about them. */
export async function showChanges(entries: readonly TranscriptEntry[]): Promise<readonly TranscriptEntry[]> {
  return Promise.all(entries.map(showChange));
}

async function showChange(entry: TranscriptEntry): Promise<TranscriptEntry> {
  const { edits } = entry;
  if (edits === undefined) return entry;
  const lines: string[] = [];
  const kinds: (DiffLine["kind"] | undefined)[] = [];
  const add = (text: string, kind?: DiffLine["kind"]): void => {
    for (const line of cleanText(text).split("\n")) {
      lines.push(line);
      kinds.push(kind);
    }
  };
  for (const block of edits) {
    const change = changeOf(block);
    if (change === undefined) {
      if (block.kind === "text") add(block.text);
      if (block.kind === "tool_call") add(`[call of ${block.name}] ${JSON.stringify(block.input) ?? ""}`);
      continue;
    }
    const { tool, path, before = "", after } = change;
    const diff = await diffLines(withBreak(before), withBreak(after));
    add(`${tool} ${path} (+${diff.added} -${diff.removed})`);
    for (const { kind, text } of diff.lines) add(`${SIGNS[kind]} ${text}`, kind);
  }
  return { ...entry, text: lines.join("\n"), kinds };
}

/** A part of a line is shown like a line. */
function withBreak(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

export interface WrittenChange {
  readonly tool: "Edit" | "Write";
  readonly path: string;
  /** Undefined for Write, which replaces the whole file. */
  readonly before: string | undefined;
  readonly after: string;
}

/** The text that a call of Edit or Write puts into a file; undefined for other blocks. */
export function changeOf(block: Block): WrittenChange | undefined {
  if (block.kind !== "tool_call") return undefined;
  const fields = (block.input ?? {}) as Readonly<Record<string, unknown>>;
  const { file_path: path, content, old_string: before, new_string: after } = fields;
  if (typeof path !== "string") return undefined;
  if (block.name === "Write" && typeof content === "string")
    return { tool: "Write", path, before: undefined, after: content };
  if (block.name !== "Edit" || typeof before !== "string" || typeof after !== "string") return undefined;
  return { tool: "Edit", path, before, after };
}
