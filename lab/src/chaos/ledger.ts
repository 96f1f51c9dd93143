import { checkChain, EMPTY_LOG, type Entry, sha256 } from "palimpsest/store-parts";
import type { Acknowledged } from "./writer-process.ts";

/** Counts of events that must not happen. */
export interface Losses {
  acknowledgedLost: number;
  entriesChanged: number;
  /** Written by a writer after another had taken the log over. */
  writtenByFenced: number;
}

export function noLosses(): Losses {
  return { acknowledgedLost: 0, entriesChanged: 0, writtenByFenced: 0 };
}

export function addLosses(left: Losses, right: Losses): Losses {
  return {
    acknowledgedLost: left.acknowledgedLost + right.acknowledgedLost,
    entriesChanged: left.entriesChanged + right.entriesChanged,
    writtenByFenced: left.writtenByFenced + right.writtenByFenced,
  };
}

/** Holds what a log has against what its writers were told they had written. */
export function audit(entries: readonly Entry[], acknowledged: readonly Acknowledged[]): Losses {
  const bySequence = new Map(entries.map((entry) => [entry.sequence, entry]));
  const losses = noLosses();
  for (const { sequence, hash } of acknowledged) {
    const entry = bySequence.get(sequence);
    if (entry === undefined) losses.acknowledgedLost++;
    else if (entry.hash !== hash) losses.entriesChanged++;
  }
  losses.entriesChanged += checkChain(entries, EMPTY_LOG, sha256).length;
  let highest = 0;
  for (const { payload } of entries) {
    const { fence } = JSON.parse(payload ?? "{}") as { fence: number };
    if (fence < highest) losses.writtenByFenced++;
    highest = Math.max(highest, fence);
  }
  return losses;
}
