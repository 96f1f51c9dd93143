// The ledger of a session: its types, its totals, the rhythm of its pauses, and prices. `fold.ts` builds it from the log.

import type { CacheDiagnosis, CacheFacts, Cause, ModelPrices, PromptChange } from "../log/cause.ts";
import type { CacheTtl, UsagePayload } from "../log/payload.ts";
import type { AppliedEdits } from "../log/payload-compaction.ts";
import { addCounts, inputTokensOf } from "../log/usage.ts";

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
   * and that the prompt still starts with. The first request of a fork reads what the newest request of its parent left.
   */
  readonly perfectPriceUsd: number;
  /**
   * The part of `priceUsd` for tokens that the first requests of forks did not read from the cache, although the parent had left
   * them there.
   */
  readonly forksMissedUsd: number;
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
  /** `parent`: the request is one of the parent, because the fork has no answered request yet. @default the session's own */
  readonly of?: "parent";
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
  /**
   * Present for the first response of a fork: the tokens that the parent's newest answered request had left in the cache. 0 if the
   * cache had expired, or if the fork does not start with them.
   */
  readonly forkExpectedTokens?: number;
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

/** Returns the source of the session's own requests: "main", or the source of a fork. Other sources have no requests. */
export function ownSource({ sources }: Ledger): string {
  const own = Object.keys(sources).find((name) => {
    const { previous, open } = sources[name]!;
    return previous !== undefined || open.length > 0;
  });
  return own ?? "main";
}

/** Returns the newest answered request of the session itself. */
export function newestAnswered(ledger: Ledger): PreviousRequest | undefined {
  return ledger.sources[ownSource(ledger)]?.previous;
}

/**
 * Returns the ledger that a fork begins with. It has no spending, because that belongs to the parent. It has the newest answered
 * request of the parent, because that request left the prompt in the cache that the fork reads.
 */
export function ledgerOfFork(parent: Ledger, source: string): Ledger {
  const previous = newestAnswered(parent);
  if (previous === undefined) return EMPTY_LEDGER;
  const own: SourceLedger = { totals: NO_TOTALS, causes: {}, previous: { ...previous, of: "parent" }, open: [] };
  return { sources: { [source]: own }, pending: parent.pending, breaks: [] };
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
  forksMissedUsd: 0,
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

// ------------------------------------------------------------------------------------------------ prices

/** Returns the price of a response in US dollars. Above the model's threshold, the higher prices apply to the whole request. */
export function priceUsd(billed: BilledTokens, prices: ModelPrices): number {
  const { freshTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens = 0, outputTokens } = billed;
  const { above } = prices;
  const rates = above !== undefined && inputTokensOf(billed) > above.inputTokens ? above : prices;
  return (
    PER_MILLION *
    (freshTokens * rates.input +
      cacheReadTokens * rates.cacheRead +
      (cacheWriteTokens - cacheWrite1hTokens) * rates.cacheWrite5m +
      cacheWrite1hTokens * rates.cacheWrite1h +
      outputTokens * rates.output)
  );
}

/** The billed tokens of a response. */
export type BilledTokens = Pick<
  UsagePayload,
  "freshTokens" | "cacheReadTokens" | "cacheWriteTokens" | "cacheWrite1hTokens" | "outputTokens"
>;

const PER_MILLION = 1e-6;

/**
 * Returns the billed tokens as if this many input tokens had been read from the cache. They replace first cache writes, then
 * uncached input.
 */
export function withCacheRead(billed: BilledTokens, cacheReadTokens: number): BilledTokens {
  const { freshTokens, cacheWriteTokens, cacheWrite1hTokens = 0, outputTokens } = billed;
  const moved = Math.min(Math.max(0, cacheReadTokens - billed.cacheReadTokens), freshTokens + cacheWriteTokens);
  const fromWrites = Math.min(moved, cacheWriteTokens);
  return {
    cacheReadTokens: billed.cacheReadTokens + moved,
    cacheWriteTokens: cacheWriteTokens - fromWrites,
    cacheWrite1hTokens: Math.max(0, Math.min(cacheWrite1hTokens, cacheWriteTokens - fromWrites)),
    freshTokens: freshTokens - (moved - fromWrites),
    outputTokens,
  };
}

/** Returns the cost of each kind of token, for decisions. */
export function costsOf(
  prices: ModelPrices | undefined,
  { lifetimeMs = 0, inputTokens = 0 }: CostOptions = {},
): TokenCosts {
  if (prices === undefined) return USUAL_COSTS;
  const { above } = prices;
  const rates = above !== undefined && inputTokens > above.inputTokens ? above : prices;
  return {
    input: rates.input,
    read: rates.cacheRead,
    write: lifetimeMs >= HOUR_MS ? rates.cacheWrite1h : rates.cacheWrite5m,
    output: rates.output,
    usdPerUnit: 1e-6,
  };
}

interface CostOptions {
  /** The lifetime of written tokens. @default the shortest lifetime */
  readonly lifetimeMs?: number | undefined;
  /** The size of the request. Above the model's threshold, the higher prices apply to all of it. @default below the threshold */
  readonly inputTokens?: number;
}

/** The cost of a token, in any unit: only the proportions matter for a decision. */
export interface TokenCosts {
  /** Neither read from the cache nor written to it. */
  readonly input: number;
  readonly read: number;
  readonly write: number;
  readonly output: number;
  /** US dollars for one unit of the costs above; absent if no prices are known. */
  readonly usdPerUnit?: number;
}

/** The costs without known prices, relative to the input price: a read 0.1, a write 1.25, output 5. */
export const USUAL_COSTS: TokenCosts = { input: 1, read: 0.1, write: 1.25, output: 5 };

/** The cost of a write for an hour without known prices, relative to the input price. */
export const USUAL_LONG_WRITE = 2;

/** From this lifetime on, the price of the long lifetime applies. */
export const HOUR_MS = 3_600_000;

/** The cache lifetimes in milliseconds. */
export const LIFETIME_MS: Readonly<Record<CacheTtl, number>> = { "5m": 300_000, "1h": HOUR_MS };
