import type { StructuredPatchHunk } from "diff";

/** One line of a diff. `number` counts the lines of the new text, or of the old text for a removed line. */
export interface DiffLine {
  readonly kind: "same" | "added" | "removed" | "skipped";
  readonly number?: number;
  readonly text: string;
}

export interface TextDiff {
  readonly lines: readonly DiffLine[];
  readonly added: number;
  readonly removed: number;
}

/** The number of unchanged lines shown around each change. */
const CONTEXT_LINES = 3;
/**
 * If more lines differ than this, the diff shows one block replaced by another. The time grows with the square of the
 * number of lines: 500 lines take about 0.2 s, and 10,000 take more than 20 s.
 */
const MAX_DIFFERENT_LINES = 500;

/** Computes the line diff of two texts. Loads the `diff` package on first use. */
export async function diffLines(before: string, after: string): Promise<TextDiff> {
  const [old, now] = withoutReturns(before, after);
  if (old === now) return { lines: [], added: 0, removed: 0 };
  const { structuredPatch } = await import("diff");
  const limits = { context: CONTEXT_LINES, maxEditLength: MAX_DIFFERENT_LINES };
  const patch = structuredPatch("", "", old, now, undefined, undefined, limits);
  return toDiff(patch?.hunks ?? [blockHunk(linesOf(old), linesOf(now))], linesOf(now).length);
}

export function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

/** Ignores CRLF if all lines of both texts end in it. */
function withoutReturns(before: string, after: string): readonly [string, string] {
  const isPlain = (text: string): boolean => /(?<!\r)\n/.test(text) || !text.includes("\r");
  if (isPlain(before) || isPlain(after)) return [before, after];
  return [before.replaceAll("\r\n", "\n"), after.replaceAll("\r\n", "\n")];
}

type Hunk = Pick<StructuredPatchHunk, "oldStart" | "newStart" | "lines">;

/** Builds one hunk from everything between the equal lines at both ends. */
function blockHunk(old: readonly string[], now: readonly string[]): Hunk {
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start++;
  let end = 0;
  while (end < most - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const from = Math.max(0, start - CONTEXT_LINES);
  const same = (lines: readonly string[]): readonly string[] => lines.map((line) => ` ${line}`);
  return {
    oldStart: from + 1,
    newStart: from + 1,
    lines: [
      ...same(old.slice(from, start)),
      ...old.slice(start, old.length - end).map((line) => `-${line}`),
      ...now.slice(start, now.length - end).map((line) => `+${line}`),
      ...same(now.slice(now.length - end, now.length - end + CONTEXT_LINES)),
    ],
  };
}

function toDiff(hunks: readonly Hunk[], total: number): TextDiff {
  const lines: DiffLine[] = [];
  let nextNew = 1;
  let added = 0;
  let removed = 0;
  const skipTo = (number: number): void => {
    const count = number - nextNew;
    if (count > 0) lines.push({ kind: "skipped", text: `${count} unchanged ${count === 1 ? "line" : "lines"}` });
  };
  for (const hunk of hunks) {
    skipTo(hunk.newStart);
    let oldNumber = hunk.oldStart;
    nextNew = hunk.newStart;
    for (const line of hunk.lines) {
      const text = line.slice(1);
      if (line.startsWith("-")) {
        lines.push({ kind: "removed", number: oldNumber++, text });
        removed++;
      } else if (line.startsWith("+")) {
        lines.push({ kind: "added", number: nextNew++, text });
        added++;
      } else if (line.startsWith(" ")) {
        lines.push({ kind: "same", number: nextNew++, text });
        oldNumber++;
      } else lines.push({ kind: "skipped", text: "no line break at the end of the file" });
    }
  }
  skipTo(total + 1);
  return { lines, added, removed };
}
