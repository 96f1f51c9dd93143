// The ledger of a session: its types, its totals, and the rhythm of its pauses. `fold.ts` builds it from the log.

import type { CacheDiagnosis, CacheFacts, Cause, PromptChange } from "../log/cause.ts";
import type { UsagePayload } from "../log/payload.ts";
import type { AppliedEdits } from "../log/payload-compaction.ts";
import { addCounts } from "../log/usage.ts";
import { HOUR_MS, LIFETIME_MS } from "./prices.ts";

/**
 * The spending of a session and its causes: usage per source, and losses per cause. A ledger is complete, plain JSON of bounded
 * size, so that boundaries and rewinds can carry it. Only `foldLedger` creates new ledgers.
 */
export interface Ledger {
  /** Usage by source: "main", and other callers. */
  readonly sources: Readonly<Record<string, SourceLedger>>;
  /** Decisions about the messages since the newest answered request, one for each cause. */
  readonly pending: readonly PromptChange[];
  /** The newest cache breaks, oldest first. */
  readonly breaks: readonly CacheBreak[];
}

/** The spending of one source. */
export interface SourceLedger {
  readonly totals: LedgerTotals;
  readonly causes: Readonly<Partial<Record<Cause, CauseTotals>>>;
  readonly previous?: PreviousRequest;
  /** The pauses between answered requests; absent before the first one. */
  readonly rhythm?: Rhythm;
  /** Requests that wait for their response, oldest first. */
  readonly open: readonly OpenRequest[];
}

/** The total spending of a session, and its spending with a perfect cache. */
export interface LedgerTotals extends SpentTokens {
  /** The price of the responses with known prices. */
  readonly priceUsd: number;
  /**
   * The price of the same responses with a perfect cache. Each then reads everything that the previous request left in the cache
   * and that the prompt still starts with.
   */
  readonly perfectPriceUsd: number;
  /** Responses from models without known prices. */
  readonly unpricedResponses: number;
  /** Interrupted answers without a full usage report. @default 0 */
  readonly estimatedResponses?: number;
  /** The estimated part of `priceUsd` for those answers. @default 0 */
  readonly estimatedUsd?: number;
}

/** Usage of all responses, on any branch. */
interface SpentTokens {
  readonly responses: number;
  readonly freshTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
}

/** Losses to one cause, alone or as the first of several causes in the prompt. */
export interface CauseTotals {
  readonly breaks: number;
  /** Tokens that were paid for again although they had been in the cache. */
  readonly rebilledTokens: number;
  readonly rebilledUsd: number;
  /** The part of the price that a perfect cache would have saved. */
  readonly gapUsd: number;
}

/** The newest answered request. The next request is compared with it. */
export interface PreviousRequest
  extends Pick<CacheFacts, "configuration" | "images" | "lifetimeMs" | "headLifetimeMs" | "edits"> {
  readonly request: number;
  /** The entry that opened the request: its own entry, or a rewind to it. */
  readonly at: number;
  /** When the prompt was last read or written, by the request or by a later ping. */
  readonly atMs: number;
  readonly responseId: string;
  readonly freshTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly appliedEdits?: AppliedEdits;
  readonly deletedTokens?: number;
  /** `stale`: the request deleted results from a cached prompt that no longer exists, so the deletions are void. */
  readonly deletions?: "stale";
}

/** A request that waits for its response. */
export interface OpenRequest {
  readonly request: number;
  readonly at: number;
  readonly atMs: number;
  readonly cache?: CacheFacts;
}

/** A cache break: the cache held much less of a prompt than the previous request had left. */
export interface CacheBreak {
  /** The `usage` entry that shows it. */
  readonly usage: number;
  readonly source: string;
  readonly atMs: number;
  /** The causes, the earliest in the prompt first. */
  readonly causes: readonly Cause[];
  /** Details of the causes: tools, parameters, and reasons for decisions. */
  readonly what: readonly string[];
  /** `expected`: a decision caused it. `alarm`: no decision did. */
  readonly sort: "expected" | "alarm";
  readonly droppedTokens: number;
  readonly rebilledTokens: number;
  /** Absent if the prices are unknown. */
  readonly rebilledUsd?: number;
  readonly announcedTokens?: number;
  readonly pauseMs: number;
  /** Where the prompt differs from the previous one, by the provider's report; absent if the provider reports nothing. */
  readonly providerSays?: CacheDiagnosis["reason"];
}

/** One response in the ledger. */
export interface LedgerLine
  extends Pick<
    UsagePayload,
    "model" | "freshTokens" | "cacheReadTokens" | "cacheWriteTokens" | "cacheWrite1hTokens" | "outputTokens"
  > {
  readonly usage: number;
  /** The request that the response answers; absent for a call that was not made from the view. */
  readonly request?: number;
  readonly source: string;
  /** When the request was made. */
  readonly atMs: number;
  readonly perfectReadTokens: number;
  /** Absent if the prices are unknown. */
  readonly priceUsd?: number;
  readonly perfectPriceUsd?: number;
  readonly gapUsd?: number;
  /** Why fewer tokens were read than possible; empty if nothing was lost. */
  readonly causes: readonly Cause[];
  readonly break?: CacheBreak;
  /** Whether the provider's own diagnosis names the same cause; absent if there is no diagnosis. */
  readonly diagnosis?: "agrees" | "differs";
  /** The part of the counts that is an estimate, because the answer was interrupted. @default none */
  readonly estimated?: UsagePayload["estimated"];
}

/** The source of requests that only keep the main conversation's prompt in the cache. */
export const KEEP_WARM = "keep-warm";

export const EMPTY_LEDGER: Ledger = { sources: {}, pending: [], breaks: [] };

/** Reads a stored ledger, or creates an empty one if the stored value is invalid. */
export function readLedger(stored: unknown): Ledger {
  if (typeof stored !== "object" || stored === null) return EMPTY_LEDGER;
  const { sources, pending, breaks } = stored as Partial<Ledger>;
  const isWhole = typeof sources === "object" && Array.isArray(pending) && Array.isArray(breaks);
  return isWhole ? (stored as Ledger) : EMPTY_LEDGER;
}

/** Returns the usage of all sources together. */
export function spentTokens({ sources }: Ledger): LedgerTotals {
  return Object.values(sources).reduce<LedgerTotals>((sum, { totals }) => addTotals(sum, totals), NO_TOTALS);
}

/** Adds two totals. */
export function addTotals(left: LedgerTotals, right: LedgerTotals): LedgerTotals {
  return { ...addCounts(COUNTS, left, right), ...estimatedPart(left, right, 1) };
}

/** Returns the usage between two points in time: `after` minus `before`. */
export function subtractTotals(after: LedgerTotals, before: LedgerTotals): LedgerTotals {
  return { ...addCounts(COUNTS, after, before, -1), ...estimatedPart(after, before, -1) };
}

/** Adds or subtracts the estimated part; the fields are absent if nothing was estimated. */
function estimatedPart(
  left: LedgerTotals,
  right: LedgerTotals,
  sign: 1 | -1,
): Pick<LedgerTotals, "estimatedResponses" | "estimatedUsd"> {
  const estimatedResponses = (left.estimatedResponses ?? 0) + sign * (right.estimatedResponses ?? 0);
  if (estimatedResponses === 0) return {};
  return { estimatedResponses, estimatedUsd: (left.estimatedUsd ?? 0) + sign * (right.estimatedUsd ?? 0) };
}

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

/** The pauses between requests, as decaying sums. Their size is bounded in a session of any length. */
export interface Rhythm {
  /** Pauses that a one-hour cache survives and a five-minute cache does not. */
  readonly middlePauses: number;
  /** Pauses that a one-hour cache does not survive. */
  readonly longPauses: number;
  /** The time of the newest request. Pings do not count: they keep the cache during a pause, but do not shorten the pause. */
  readonly atMs: number;
}

/**
 * Adds the pause before a request to the rhythm.
 * @param atMs the time of the request
 */
export function addToRhythm(before: Rhythm | undefined, atMs: number): Rhythm {
  if (before === undefined) return { middlePauses: 0, longPauses: 0, atMs };
  const pauseMs = atMs - before.atMs;
  const isLong = pauseMs >= HOUR_MS;
  return {
    middlePauses: FADING * before.middlePauses + (pauseMs >= LIFETIME_MS["5m"] && !isLong ? 1 : 0),
    longPauses: FADING * before.longPauses + (isLong ? 1 : 0),
    atMs,
  };
}

/** Each request multiplies the weight of the earlier requests by this factor, so that about a hundred of them count. */
const FADING = 0.99;
