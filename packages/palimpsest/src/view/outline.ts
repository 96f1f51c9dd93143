import type { Shown } from "../log/payload.ts";
import type { View } from "./view.ts";

/** The structure of a view, as a compaction boundary stores it: runs of entries, and decisions that stand for others. */
export function outline({ items, breaks, hidden }: View): Shown[] {
  const runs: Shown[] = [];
  const sorted = breaks.toSorted((a, b) => a - b);
  let passed = 0;
  for (const item of items) {
    const { from, to } = item;
    const by = item.kind === "message" ? item.by : undefined;
    const lost = item.kind === "message" && item.thinking === "lost";
    const last = runs.at(-1);
    // Several items that one decision placed together are read from it together.
    if (last !== undefined && by !== undefined && last.by === by && last.from === from) continue;
    const sameSort = last !== undefined && last.by === undefined && by === undefined;
    const sameThinking = item.kind === "seal" || (last?.thinking === "lost") === lost;
    // The first break after the last run.
    while (last !== undefined && passed < sorted.length && sorted[passed]! <= last.to) passed++;
    const together = sameSort && sameThinking && !(sorted[passed] !== undefined && sorted[passed]! <= from);
    if (together) runs[runs.length - 1] = { ...last, to };
    else runs.push({ from, to, ...(by === undefined ? {} : { by }), ...(lost ? { thinking: "lost" } : {}) });
  }
  return [...runs, ...hidden].sort((a, b) => a.from - b.from);
}
