import { ambiguousMark, replaceText, restoreHidden } from "../../extensions/files/replace-text.ts";
import { diffLines, linesOf, type TextDiff } from "../../text/diff-lines.ts";
import { visibleText } from "../../text/visible-text.ts";
import type { CurrentFile } from "../read-current-file.ts";

/** What a call of Edit or Write would do to a file as it is now. */
export interface FileChange {
  readonly kind: "creates" | "overwrites" | "edits" | "fails";
  /** In one line, as in "Overwrites src/a.ts (214 lines)". */
  readonly heading: string;
  readonly diff: TextDiff;
  /** The whole text after the change, and before it if the file is a text. @default it fails */
  readonly texts?: { readonly before: string | undefined; readonly after: string };
}

const NOTHING: TextDiff = { lines: [], added: 0, removed: 0 };

/** @returns undefined for calls of other tools, and where the input is none of theirs */
export async function planFileChange(
  tool: string,
  input: unknown,
  readFile: (path: string) => Promise<CurrentFile>,
): Promise<FileChange | undefined> {
  const fields = (input ?? {}) as Readonly<Record<string, unknown>>;
  const { file_path: path, content, old_string: oldText, new_string: newText, replace_all: all } = fields;
  if (typeof path !== "string") return undefined;
  if (tool === "Write" && typeof content === "string") return planWrite(path, content, await readFile(path));
  if (tool !== "Edit" || typeof oldText !== "string" || typeof newText !== "string") return undefined;
  const current = await readFile(path);
  if (current.kind !== "text") return fails(path, WHY[current.kind]);
  const edit = { oldText, newText, occurrences: all === true ? "all" : "unique" } as const;
  const edited = replaceText(current.text, edit);
  if (edited.kind === "refused") return fails(path, edited.reason.split("\n")[0]!);
  const diff = await diffLines(current.text, edited.content);
  const texts = { before: current.text, after: edited.content };
  return { kind: "edits", heading: `Changes ${visibleText(path)} (${countOf(diff)})`, diff, texts };
}

const WHY: Readonly<Record<Exclude<CurrentFile["kind"], "text">, string>> = {
  absent: "There is no such file.",
  binary: "The file is no text.",
  unreadable: "The file cannot be read.",
};

async function planWrite(path: string, given: string, current: CurrentFile): Promise<FileChange> {
  const name = visibleText(path);
  const restored = restoreHidden(given, current.kind === "text" ? current.text : "");
  if (restored.kind === "ambiguous") return fails(path, ambiguousMark(restored.mark));
  const content = restored.text;
  const size = lineCount(content);
  if (current.kind === "text") {
    const diff = await diffLines(current.text, content);
    const how = diff.lines.length === 0 ? "the same content" : countOf(diff);
    return {
      kind: "overwrites",
      heading: `Overwrites ${name} (${lineCount(current.text)}) with ${size}: ${how}`,
      diff,
      texts: { before: current.text, after: content },
    };
  }
  const diff = await diffLines("", content);
  const texts = { before: undefined, after: content };
  if (current.kind === "absent") return { kind: "creates", heading: `Creates ${name} (${size})`, diff, texts };
  const what =
    current.kind === "binary" ? `${current.bytes.toLocaleString("en-US")} bytes, no text` : "it cannot be read";
  return { kind: "overwrites", heading: `Overwrites ${name} (${what}) with ${size}`, diff, texts };
}

function fails(path: string, why: string): FileChange {
  return { kind: "fails", heading: `Cannot change ${visibleText(path)} as it is now. ${why}`, diff: NOTHING };
}

function lineCount(text: string): string {
  const { length } = linesOf(text);
  return `${length} ${length === 1 ? "line" : "lines"}`;
}

function countOf({ added, removed }: TextDiff): string {
  return `+${added} -${removed}`;
}
