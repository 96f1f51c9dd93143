import { structuredPatch } from "diff";
import type { Figures } from "../bench.ts";

const CONTEXT_LINES = 3;

/** How many lines a person has to read to see what has changed, and how long it takes to find them. */
export function compareDiff(size: "quick" | "full"): Figures {
  const count = size === "quick" ? 1_000 : 5_000;
  const before = Array.from({ length: count }, (_, at) => `line ${at}`);
  const twoChanged = before.map((line, at) => (at === 10 || at === count - 10 ? `${line}, changed` : line));
  const allChanged = before.map((line) => `other ${line}`);
  return {
    lines: count,
    twoLinesChanged: { byHand: byHand(before, twoChanged), diff: byDiff(before, twoChanged) },
    allChanged: { diff: byDiff(before, allChanged), diffUpTo1000: byDiff(before, allChanged, 1_000) },
  };
}

/** As it was until now: equal lines at both ends are left out. */
function byHand(old: readonly string[], now: readonly string[]): Figures {
  const startedMs = performance.now();
  let start = 0;
  while (start < old.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const between = old.length - start - end;
  return { shownLines: 2 * between + 2, ms: msSince(startedMs) };
}

function byDiff(old: readonly string[], now: readonly string[], maxEditLength = Number.POSITIVE_INFINITY): Figures {
  const startedMs = performance.now();
  const limits = { context: CONTEXT_LINES, maxEditLength };
  const patch = structuredPatch("", "", old.join("\n"), now.join("\n"), undefined, undefined, limits);
  const ms = msSince(startedMs);
  return { shownLines: patch?.hunks.reduce((sum, { lines }) => sum + lines.length, 0) ?? "given up", ms };
}

function msSince(startedMs: number): number {
  return Math.round((performance.now() - startedMs) * 10) / 10;
}
