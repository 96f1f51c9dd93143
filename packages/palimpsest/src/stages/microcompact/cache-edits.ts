import { type Eligibility, eligibleResults } from "../../clear/results.ts";
import type { DeletedResult } from "../../log/provider-edits.ts";
import type { ResultIndex } from "../../view/results.ts";

export interface DeletionSituation {
  readonly index: ResultIndex;
  readonly eligibility: Eligibility;
  /** Results that the newest request deleted; empty after a compaction boundary. */
  readonly deleted: readonly DeletedResult[];
  readonly cache: "none" | "warm" | "cold";
  /** The newest answered request: only entries before it are in the cache. */
  readonly cachedTo: number;
}

export interface DeletionParameters {
  /** Nothing is deleted while there are fewer results that are neither deleted nor kept for another reason. */
  readonly leastResults: number;
  readonly keepNewest: number;
}

/**
 * Plans the results that the next request deletes from the provider's cached prompt. A deletion applies to one request
 * only, so all earlier deletions are repeated, and the oldest results are added once there are enough. The view does
 * not change. If the prompt is no longer in the cache, the list starts empty.
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
    // An id that two calls share identifies neither.
    .filter(({ entry, callId }) => entry < cachedTo && !gone.has(entry) && calls.get(callId)?.length === 1)
    .map(({ entry, callId }) => ({ entry, callId }));
  return [...deleted, ...oldest];
}
