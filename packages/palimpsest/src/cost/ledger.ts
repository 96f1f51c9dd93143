import type { CacheDiagnosis, CacheFacts, Cause, PromptChange } from "../log/cause.ts";
import type { UsagePayload } from "../log/payload.ts";
import type { AppliedEdits } from "../log/payload-compaction.ts";
import { addCounts } from "../log/usage.ts";
import { HOUR_MS, LIFETIME_MS } from "./prices.ts";

/** The pauses between requests, as decaying sums: of bounded size, however long the session is. */
export interface Rhythm {
  /** Pauses that a one-hour cache survives and a five-minute cache does not. */
  readonly middlePauses: number;
  /** Pauses that neither survives. */
  readonly longPauses: number;
  /** The newest request. Pings do not count: they bridge a pause, but do not shorten it. */
  readonly atMs: number;
}

/** Each request reduces the weight of the earlier ones by this factor: about a hundred count. */
const FADING = 0.99;

/** @param atMs the time of the next request */
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

/**
 * The spending of a session and its causes: usage per source, and losses per cause. It is plain JSON of bounded size and
 * complete: boundaries and rewinds carry it. Only `foldLedger` creates new ledgers.
 */
export interface Ledger {
  /** Usage by source: "main", and other callers. */
  readonly sources: Readonly<Record<string, SourceLedger>>;
  /** Decisions about the messages since the newest answered request, one for each cause. */
  readonly pending: readonly PromptChange[];
  /** The newest lines, oldest first. */
  readonly breaks: readonly CacheBreak[];
}

export interface SourceLedger {
  readonly totals: LedgerTotals;
  readonly causes: Readonly<Partial<Record<Cause, CauseTotals>>>;
  readonly previous?: PreviousRequest;
  /** The pauses between its answered requests. @default there was none */
  readonly rhythm?: Rhythm;
  /** Requests that wait for their response, oldest first. */
  readonly open: readonly OpenRequest[];
}

/** Usage of all responses, on any branch. */
interface SpentTokens {
  readonly responses: number;
  readonly freshTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
}

/** What a session spent in all, and what it would have spent with a perfect cache. */
export interface LedgerTotals extends SpentTokens {
  /** The price of the responses with known prices. */
  readonly priceUsd: number;
  /**
   * The price of the same responses with a perfect cache: each reads everything that the previous one left and that it still
   * begins with.
   */
  readonly perfectPriceUsd: number;
  /** Responses of models without known prices. */
  readonly unpricedResponses: number;
  /** Interrupted answers without a full usage report. @default 0 */
  readonly estimatedResponses?: number;
  /** The estimated part of `priceUsd` for those answers. @default 0 */
  readonly estimatedUsd?: number;
}

/** Losses to one cause, or to several of which it is the first in the prompt. */
export interface CauseTotals {
  readonly breaks: number;
  /** Tokens that were paid for again although they had been in the cache. */
  readonly rebilledTokens: number;
  readonly rebilledUsd: number;
  /** The part of the price that a perfect cache would have saved. */
  readonly gapUsd: number;
}

/** The newest answered request, which the next one is compared with. */
export interface PreviousRequest
  extends Pick<CacheFacts, "configuration" | "images" | "lifetimeMs" | "headLifetimeMs" | "edits"> {
  readonly request: number;
  /** The entry that opened it: the request's own, or that of a rewind to it. */
  readonly at: number;
  /** When its prompt was last read or written: by the request itself or by a later ping. */
  readonly atMs: number;
  readonly responseId: string;
  readonly freshTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly appliedEdits?: AppliedEdits;
  readonly deletedTokens?: number;
  /** The request deleted from a cached prompt that was gone: forget those deletions. */
  readonly deletions?: "stale";
}

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
  /** Tools, parameters and reasons of decisions behind the causes. */
  readonly what: readonly string[];
  /** `expected`: a decision caused it. `alarm`: no decision did. */
  readonly sort: "expected" | "alarm";
  readonly droppedTokens: number;
  readonly rebilledTokens: number;
  /** Absent if the prices are unknown. */
  readonly rebilledUsd?: number;
  readonly announcedTokens?: number;
  readonly pauseMs: number;
  /** Where the prompt differs from the previous one, as the provider reports it; absent if it does not. */
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
  /** Why less was read than possible; empty if nothing was lost. */
  readonly causes: readonly Cause[];
  readonly break?: CacheBreak;
  /** Whether the provider's own diagnosis names the same cause, where it has one. */
  readonly diagnosis?: "agrees" | "differs";
  /** The part that is an estimate, because the answer was interrupted. @default none */
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

export function addTotals(left: LedgerTotals, right: LedgerTotals): LedgerTotals {
  return { ...addCounts(COUNTS, left, right), ...estimatedPart(left, right, 1) };
}

/** Returns the usage between two points in time. */
export function subtractTotals(after: LedgerTotals, before: LedgerTotals): LedgerTotals {
  return { ...addCounts(COUNTS, after, before, -1), ...estimatedPart(after, before, -1) };
}

/** Absent if nothing was estimated. */
function estimatedPart(
  left: LedgerTotals,
  right: LedgerTotals,
  sign: 1 | -1,
): Pick<LedgerTotals, "estimatedResponses" | "estimatedUsd"> {
  const estimatedResponses = (left.estimatedResponses ?? 0) + sign * (right.estimatedResponses ?? 0);
  if (estimatedResponses === 0) return {};
  return { estimatedResponses, estimatedUsd: (left.estimatedUsd ?? 0) + sign * (right.estimatedUsd ?? 0) };
}
