import { cachedBy, LIFETIME_MS, lifetimeOf, type Prediction } from "./replay.ts";
import type { Change, RecordedRequest } from "./requests.ts";
import type { Lifetime } from "./to-request.ts";

/** The provider looks this far before a mark for an earlier entry. */
const LOOK_BACK_BLOCKS = 20;

type MissCause = Change | "pause" | "look-back";

/** One scored request: what was recorded, and what the simulator and the rule said. */
export interface Scored {
  readonly source: string;
  readonly contextTokens: number;
  readonly readTokens: number;
  readonly writtenTokens: number;
  readonly simulated: Prediction;
  readonly baseline: Prediction;
  /** Whether much less was read than the request before had left in the cache, and what in the record explains it. */
  readonly miss: "none" | "explained" | "unexplained";
  readonly causes: readonly MissCause[];
}

/** Everything but the first request of a session: what that one finds, other sessions left there. */
export function scoreSession(
  source: string,
  requests: readonly RecordedRequest[],
  predictions: readonly Prediction[],
  messageMarks: 1 | 2,
): Scored[] {
  let lifetime: Lifetime = lifetimeOf(requests[0]!) ?? "5m";
  return requests.slice(1).map((request, index) => {
    const before = requests[index]!;
    const pause = request.sentAtMs - before.sentAtMs > LIFETIME_MS[lifetime];
    const { contextTokens, usage } = request;
    const causes: MissCause[] = [...request.changes];
    if (pause) causes.push("pause");
    if (messageMarks === 1 && newBlocks(request, before) > LOOK_BACK_BLOCKS) causes.push("look-back");
    const missed = usage.cacheReadTokens < cachedBy(before) - Math.max(0.05 * contextTokens, 2_000);
    const ruleRead = pause ? 0 : Math.min(cachedBy(before), contextTokens);
    lifetime = lifetimeOf(request) ?? lifetime;
    return {
      source,
      contextTokens,
      readTokens: usage.cacheReadTokens,
      writtenTokens: usage.cacheWriteTokens ?? 0,
      simulated: predictions[index + 1]!,
      baseline: { readTokens: ruleRead, writtenTokens: Math.max(0, contextTokens - usage.freshTokens - ruleRead) },
      miss: missed ? (causes.length > 0 ? "explained" : "unexplained") : "none",
      causes,
    };
  });
}

function newBlocks(request: RecordedRequest, before: RecordedRequest): number {
  const known = new Set(before.blocks.map(({ key }) => key));
  return request.blocks.filter(({ key }) => !known.has(key)).length;
}

export interface Fidelity {
  readonly read_total_error_pct: number;
  /** The errors of single requests added up: too much here does not make up for too little there. */
  readonly read_absolute_error_pct: number;
  readonly requests_within_5pct: number;
  /** Read and written together are known from the context, so the error of one is the other's with the sign changed. */
  readonly write_total_error_pct_explained: number;
  readonly write_total_error_pct_all: number;
  readonly write_absolute_error_pct_explained: number;
}

export function fidelityOf(scored: readonly Scored[], by: "simulated" | "baseline"): Fidelity {
  const explained = scored.filter(({ miss }) => miss !== "unexplained");
  const readError = (one: Scored): number => one[by].readTokens - one.readTokens;
  const writeError = (one: Scored): number => one[by].writtenTokens - one.writtenTokens;
  const read = total(scored, ({ readTokens }) => readTokens);
  const written = (rows: readonly Scored[]): number => total(rows, ({ writtenTokens }) => writtenTokens);
  return {
    read_total_error_pct: percent(total(scored, readError), read),
    read_absolute_error_pct: percent(
      total(scored, (one) => Math.abs(readError(one))),
      read,
    ),
    requests_within_5pct: percent(scored.filter((one) => isClose(one, by)).length, scored.length),
    write_total_error_pct_explained: percent(total(explained, writeError), written(explained)),
    write_total_error_pct_all: percent(total(scored, writeError), written(scored)),
    write_absolute_error_pct_explained: percent(
      total(explained, (one) => Math.abs(writeError(one))),
      written(explained),
    ),
  };
}

export function isClose(one: Scored, by: "simulated" | "baseline"): boolean {
  return Math.abs(one[by].readTokens - one.readTokens) <= 0.05 * one.contextTokens;
}

function total(scored: readonly Scored[], of: (one: Scored) => number): number {
  return scored.reduce((sum, one) => sum + of(one), 0);
}

export function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : Number(((100 * part) / whole).toFixed(2));
}
