// Explains the compactions of a session from its log.

import { readPayload } from "../log/entry.ts";
import type { DecisionCost } from "../log/payload.ts";
import type { CompactionRecord } from "../log/payload-compaction.ts";
import type { LogReader } from "../stores/store.ts";
import type { View } from "../view/view.ts";

/** One boundary, told: what went in, what came out, and what it did. */
export interface ExplainedBoundary {
  readonly boundary: number;
  readonly atMs: number;
  /** What went in: these entries. Each can be recalled. */
  readonly from: number;
  readonly to: number;
  /** What came out: what the model is shown in their place. */
  readonly shownAs: string;
  readonly reason: string;
  /**
   * `yes`: the model sees its result now. `compacted-again`: a later compaction has replaced its result. `taken-back`: a restore or
   * rewind undid it.
   */
  readonly inEffect: "yes" | "compacted-again" | "taken-back";
  /** What it did to the prompt and its cache. */
  readonly cost?: DecisionCost;
  /** How it came about; absent if the host folded it by itself. */
  readonly compaction?: CompactionRecord;
}

/** All boundaries that a session has had, the newest first. Costs a seek for each. */
export async function explainBoundaries(
  log: LogReader,
  view: View,
  limit: number = Number.POSITIVE_INFINITY,
): Promise<readonly ExplainedBoundary[]> {
  const shown = new Set(
    view.items.flatMap((item) => (item.kind === "message" && item.by !== undefined ? [item.by] : [])),
  );
  const undone = await undoneBoundaries(log);
  const explained: ExplainedBoundary[] = [];
  let below: number | undefined;
  while (explained.length < limit) {
    const entry = await log.newest("boundary", below);
    if (entry === undefined) break;
    below = entry.sequence;
    const read = readPayload(entry);
    if (read.kind !== "boundary") continue;
    const { from, to, with: replacements, reason, cost, compaction } = read.payload;
    // What the host put at the head was not made of what went in.
    const made = replacements.filter(({ attachment }) => attachment === undefined);
    const texts = made.flatMap(({ blocks }) => blocks.flatMap((b) => (b.kind === "text" ? [b.text] : [])));
    explained.push({
      boundary: entry.sequence,
      atMs: entry.atMs,
      from,
      to,
      reason,
      shownAs: texts.join("\n"),
      inEffect: undone(entry.sequence) ? "taken-back" : shown.has(entry.sequence) ? "yes" : "compacted-again",
      cost,
      compaction,
    });
  }
  return explained;
}

/** Which boundaries a restore names, or lie on a branch that a rewind left. */
async function undoneBoundaries(log: LogReader): Promise<(boundary: number) => boolean> {
  const restored = new Set<number>();
  const left: { readonly from: number; readonly to: number }[] = [];
  for (const kind of ["restore", "rewind"]) {
    for (let below: number | undefined; ; ) {
      const entry = await log.newest(kind, below);
      if (entry === undefined) break;
      below = entry.sequence;
      const read = readPayload(entry);
      if (read.kind === "restore") restored.add(read.payload.of);
      if (entry.kind === "rewind") left.push({ from: entry.parent + 1, to: entry.sequence - 1 });
    }
  }
  return (boundary) => restored.has(boundary) || left.some(({ from, to }) => from <= boundary && boundary <= to);
}
