import type { StructuredPatchHunk } from "diff";

/** One line of a difference. `number` is that of the new text; of what was removed, that of the old one. */
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

/** So many equal lines are shown around each change. */
const CONTEXT_LINES = 3;
/**
 * Texts with more different lines than this are shown as one block that is replaced by another. The time grows with the square
 * of their number: 500 take some 0.2 s, and 10,000 take more than 20 s.
 */
const MAX_DIFFERENT_LINES = 500;

/** What turns one text into the other, line by line. `diff` is loaded when it is needed first. */
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

/** Where all lines of both texts end in CRLF, that is not what has changed. */
function withoutReturns(before: string, after: string): readonly [string, string] {
  const isPlain = (text: string): boolean => /(?<!\r)\n/.test(text) || !text.includes("\r");
  if (isPlain(before) || isPlain(after)) return [before, after];
  return [before.replaceAll("\r\n", "\n"), after.replaceAll("\r\n", "\n")];
}

type Hunk = Pick<StructuredPatchHunk, "oldStart" | "newStart" | "lines">;

/** Everything between the equal lines at both ends. */
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
