import { addCounts } from "../log/add-counts.ts";
import type { CacheDiagnosis, CacheFacts, Cause, PromptChange } from "../log/cause.ts";
import type { UsagePayload } from "../log/payload.ts";
import type { AppliedEdits } from "../log/provider-edits.ts";
import type { Rhythm } from "./rhythm.ts";

/**
 * What a session has spent and why: per source, what was used and what was lost to which cause. Plain JSON of bounded
 * size, complete in itself: boundaries and rewinds carry it. Only `foldLedger` makes new ones.
 */
export interface Ledger {
  /** By who asked: "main", and those that ask for it. */
  readonly sources: Readonly<Record<string, SourceLedger>>;
  /** What was decided about the messages since the newest answered request, one for each cause. */
  readonly pending: readonly PromptChange[];
  /** The newest, oldest first. */
  readonly breaks: readonly CacheBreak[];
}

export interface SourceLedger {
  readonly totals: LedgerTotals;
  readonly causes: Readonly<Partial<Record<Cause, CauseTotals>>>;
  readonly previous?: PreviousRequest;
  /** How its answered requests followed each other. @default there was none */
  readonly rhythm?: Rhythm;
  /** Requests that wait for their response, oldest first. */
  readonly open: readonly OpenRequest[];
}

/** What all responses have used, on whatever branch. */
export interface SpentTokens {
  readonly responses: number;
  readonly freshTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
}

export interface LedgerTotals extends SpentTokens {
  /** Of the responses whose price is known. */
  readonly priceUsd: number;
  /** What those would have cost, had each read from the cache all that the one before left there and that was still its beginning. */
  readonly perfectPriceUsd: number;
  /** Responses of models whose prices nobody has said. */
  readonly unpricedResponses: number;
  /** Answers that were interrupted before the provider had reported all that they used. @default 0 */
  readonly estimatedResponses?: number;
  /** The part of `priceUsd` that those cost, by estimate. @default 0 */
  readonly estimatedUsd?: number;
}

/** What was lost to one cause, or to several of which it comes first in the prompt. */
export interface CauseTotals {
  readonly breaks: number;
  /** Paid for again, though it had been in the cache. */
  readonly rebilledTokens: number;
  readonly rebilledUsd: number;
  /** The part of the price that a perfect cache would have saved. */
  readonly gapUsd: number;
}

/** The newest answered request: what the next one is compared with. */
export interface PreviousRequest extends Pick<CacheFacts, "configuration" | "images" | "lifetimeMs" | "edits"> {
  readonly request: number;
  /** The entry that opened it: the request's own, or that of a rewind to it. */
  readonly at: number;
  /** When its prompt was last read or written: when it was made, or a ping since. */
  readonly atMs: number;
  readonly responseId: string;
  readonly freshTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly appliedEdits?: AppliedEdits;
  readonly deletedTokens?: number;
  /** It deleted from a cached prompt that was not there any more: what it deleted is to be forgotten. */
  readonly deletions?: "stale";
}

export interface OpenRequest {
  readonly request: number;
  readonly at: number;
  readonly atMs: number;
  readonly cache?: CacheFacts;
}

/** The cache had much less of a prompt than the request before had left in it. */
export interface CacheBreak {
  /** The `usage` entry that shows it. */
  readonly usage: number;
  readonly source: string;
  readonly atMs: number;
  /** The one that comes earliest in the prompt first. */
  readonly causes: readonly Cause[];
  /** Tools, parameters and reasons of decisions that the causes are about. */
  readonly what: readonly string[];
  /** `expected`: somebody decided it. `alarm`: nobody did. */
  readonly sort: "expected" | "alarm";
  readonly droppedTokens: number;
  readonly rebilledTokens: number;
  /** Absent where the prices are not known. */
  readonly rebilledUsd?: number;
  readonly announcedTokens?: number;
  readonly pauseMs: number;
  /** Where the prompt departed from the one before, by the provider's own account; absent where it did not say. */
  readonly providerSays?: CacheDiagnosis["reason"];
}

/** One response in the ledger. */
export interface LedgerLine
  extends Pick<
    UsagePayload,
    "model" | "freshTokens" | "cacheReadTokens" | "cacheWriteTokens" | "cacheWrite1hTokens" | "outputTokens"
  > {
  readonly usage: number;
  /** The request that it answers; absent for a call that was not made from the view. */
  readonly request?: number;
  readonly source: string;
  /** When the request was made. */
  readonly atMs: number;
  readonly perfectReadTokens: number;
  /** Absent where the prices are not known. */
  readonly priceUsd?: number;
  readonly perfectPriceUsd?: number;
  readonly gapUsd?: number;
  /** Why less was read than could have been; empty if nothing was lost. */
  readonly causes: readonly Cause[];
  readonly break?: CacheBreak;
  /** Whether the provider's own diagnosis names the same cause, where it has one. */
  readonly diagnosis?: "agrees" | "differs";
  /** What of it is an estimate: the answer was interrupted. @default nothing */
  readonly estimated?: UsagePayload["estimated"];
}

/** The source of requests that only keep the main conversation's prompt in the cache. */
export const KEEP_WARM = "keep-warm";

type Counts = Omit<LedgerTotals, "estimatedResponses" | "estimatedUsd">;

export const NO_TOTALS: Counts = {
  responses: 0,
  freshTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  priceUsd: 0,
  perfectPriceUsd: 0,
  unpricedResponses: 0,
};

const COUNTS = Object.keys(NO_TOTALS) as readonly (keyof Counts)[];

export const EMPTY_LEDGER: Ledger = { sources: {}, pending: [], breaks: [] };

/** A ledger that was stored, or an empty one if what was stored is none. */
export function readLedger(stored: unknown): Ledger {
  if (typeof stored !== "object" || stored === null) return EMPTY_LEDGER;
  const { sources, pending, breaks } = stored as Partial<Ledger>;
  const isWhole = typeof sources === "object" && Array.isArray(pending) && Array.isArray(breaks);
  return isWhole ? (stored as Ledger) : EMPTY_LEDGER;
}

/** What all sources have used together. */
export function spentTokens({ sources }: Ledger): LedgerTotals {
  return Object.values(sources).reduce<LedgerTotals>((sum, { totals }) => addTotals(sum, totals), NO_TOTALS);
}

export function addTotals(left: LedgerTotals, right: LedgerTotals): LedgerTotals {
  return { ...addCounts(COUNTS, left, right), ...estimatedPart(left, right, 1) };
}

/** What was used between two points in time. */
export function subtractTotals(after: LedgerTotals, before: LedgerTotals): LedgerTotals {
  return { ...addCounts(COUNTS, after, before, -1), ...estimatedPart(after, before, -1) };
}

/** Absent where nothing was estimated, as in the logs of earlier releases. */
function estimatedPart(
  left: LedgerTotals,
  right: LedgerTotals,
  sign: 1 | -1,
): Pick<LedgerTotals, "estimatedResponses" | "estimatedUsd"> {
  const estimatedResponses = (left.estimatedResponses ?? 0) + sign * (right.estimatedResponses ?? 0);
  if (estimatedResponses === 0) return {};
  return { estimatedResponses, estimatedUsd: (left.estimatedUsd ?? 0) + sign * (right.estimatedUsd ?? 0) };
}
