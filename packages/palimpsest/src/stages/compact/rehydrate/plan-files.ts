import type { LineRange } from "../evidence/read-call.ts";
import type { RankedFile } from "./rank-files.ts";

export interface FileBudgets {
  readonly countTokens: (text: string) => number;
  /** Of one file. @default 5,000 */
  readonly perFileTokens?: number;
  /** Of all of them. @default 50,000 */
  readonly totalTokens?: number;
  /** A file that is larger is put back in parts, if it is known which were read or edited. @default 2,000 */
  readonly wholeTokens?: number;
  /** Beside each part, so many lines more. @default 10 */
  readonly surroundingLines?: number;
}

/** What is put back of a file. */
export interface PlannedFile {
  readonly path: string;
  /** The lines of each part, and its text; one part for a file that is put back whole. */
  readonly parts: readonly { readonly lines: LineRange; readonly text: string }[];
  readonly extent: "whole" | "parts";
  readonly tokens: number;
}

/**
 * What of the ranked files is put back. A file that does not fit is skipped, a smaller one behind it may follow. Of a large
 * one only the lines that were read or edited and what surrounds them, the newest first, so that more files fit.
 */
export function planFiles(
  ranked: readonly RankedFile[],
  contents: ReadonlyMap<string, string>,
  { countTokens, perFileTokens = 5_000, totalTokens = 50_000, wholeTokens = 2_000, surroundingLines = 10 }: FileBudgets,
): PlannedFile[] {
  const planned: PlannedFile[] = [];
  let leftTokens = totalTokens;
  for (const { path, ranges = [] } of ranked) {
    const content = contents.get(path);
    if (content === undefined || content === "") continue;
    const mostTokens = Math.min(perFileTokens, leftTokens);
    const tokens = countTokens(content);
    const lines = content.split("\n");
    const isWhole = tokens <= mostTokens && (tokens <= wholeTokens || ranges.length === 0);
    const file = isWhole
      ? { path, parts: [{ lines: [1, lines.length] as const, text: content }], extent: "whole" as const, tokens }
      : planParts(path, lines, widen(ranges, lines.length, surroundingLines), mostTokens, countTokens);
    if (file === undefined) continue;
    planned.push(file);
    leftTokens -= file.tokens;
  }
  return planned;
}

function planParts(
  path: string,
  lines: readonly string[],
  ranges: readonly LineRange[],
  mostTokens: number,
  countTokens: (text: string) => number,
): PlannedFile | undefined {
  const parts: { lines: LineRange; text: string }[] = [];
  let tokens = 0;
  for (const range of ranges.toReversed()) {
    const part = { lines: range, text: lines.slice(range[0] - 1, range[1]).join("\n") };
    const partTokens = countTokens(part.text);
    if (part.text === "" || tokens + partTokens > mostTokens) continue;
    parts.push(part);
    tokens += partTokens;
  }
  if (parts.length === 0) return undefined;
  const inOrder = parts.sort((one, other) => one.lines[0] - other.lines[0]);
  return { path, parts: inOrder, extent: "parts", tokens };
}

/** With their surroundings, within the file; those that meet become one, in the place of the newer. */
function widen(ranges: readonly LineRange[], lineCount: number, surroundingLines: number): LineRange[] {
  const wide: LineRange[] = [];
  for (const [from, to] of ranges) {
    let [first, last] = [Math.max(1, from - surroundingLines), Math.min(lineCount, to + surroundingLines)];
    if (first > last) continue;
    for (const other of wide.splice(0)) {
      if (other[0] > last + 1 || other[1] < first - 1) wide.push(other);
      else [first, last] = [Math.min(first, other[0]), Math.max(last, other[1])];
    }
    wide.push([first, last]);
  }
  return wide;
}
