import type { DeletedResult } from "../../log/provider-edits.ts";
import { type Eligibility, eligibleResults } from "./eligible-results.ts";
import type { ResultIndex } from "./result-index.ts";

export interface DeletionSituation {
  readonly index: ResultIndex;
  readonly eligibility: Eligibility;
  /** What the newest request deleted; nothing after a boundary. */
  readonly deleted: readonly DeletedResult[];
  readonly cache: "none" | "warm" | "cold";
  /** The newest answered request: only what was part of it is in the cache. */
  readonly cachedTo: number;
}

export interface DeletionParameters {
  /** Below so many results that are neither deleted nor kept for another reason, none is deleted. */
  readonly leastResults: number;
  readonly keepNewest: number;
}

/**
 * What the next request deletes from the provider's cached prompt: all that was deleted from it before, since a deletion
 * holds for one request only, and the oldest results once there are enough of them. The view stays as it is. Where the
 * prompt is not in the cache any more, there is nothing to delete from, and all of it is forgotten.
 */
export function planDeletions(
  { index, eligibility, deleted, cache, cachedTo }: DeletionSituation,
  { leastResults, keepNewest }: DeletionParameters,
): readonly DeletedResult[] {
  if (cache !== "warm") return [];
  const gone = new Set(deleted.map(({ entry }) => entry));
  const active = eligibleResults(index, { ...eligibility, keepNewest: 0 }).filter(({ entry }) => !gone.has(entry));
  if (active.length < leastResults) return deleted;
  const calls = Map.groupBy(index.calls, ({ call }) => call.id);
  const oldest = eligibleResults(index, { ...eligibility, keepNewest })
    // An id that was given twice names neither.
    .filter(({ entry, callId }) => entry < cachedTo && !gone.has(entry) && calls.get(callId)?.length === 1)
    .map(({ entry, callId }) => ({ entry, callId }));
  return [...deleted, ...oldest];
}
