import type { LineRange, WrittenLines } from "./file-touch.ts";

const MAX_LINE_CHARACTERS = 120;
/** Shorter lines are in many places of a file. */
const LEAST_LINE_CHARACTERS = 8;

/** Returns the place of a new text; undefined if no line of it is long enough to be found again. */
export function writtenLines(text: string): WrittenLines | undefined {
  const lines = text.split("\n").map((line) => line.trim());
  const line = lines.reduce((long, one) => (one.length > long.length ? one : long), "");
  if (line.length < LEAST_LINE_CHARACTERS) return undefined;
  const before = lines.indexOf(line);
  return { line: line.slice(0, MAX_LINE_CHARACTERS).toWellFormed(), before, after: lines.length - 1 - before };
}

/** Returns the lines of a file in which a written text stands now; undefined if it is no longer there. */
export function findWritten(lines: readonly string[], { line, before, after }: WrittenLines): LineRange | undefined {
  const at = lines.findIndex((one) => one.trimStart().startsWith(line));
  if (at === -1) return undefined;
  return [Math.max(1, at + 1 - before), Math.min(lines.length, at + 1 + after)];
}
