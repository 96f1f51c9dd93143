import type { Cause, ModelPrices } from "../log/cause.ts";
import type { CacheTtl, UsagePayload } from "../log/payload.ts";
import {
  type CacheBreak,
  type CauseTotals,
  costsOf,
  HOUR_MS,
  type Ledger,
  type LedgerTotals,
  LIFETIME_MS,
  type PreviousRequest,
  priceUsd,
  spentTokens,
  USUAL_LONG_WRITE,
} from "./ledger.ts";
import { leftInCache } from "./misses.ts";

// The cost of a session so far, the expected cost of its next request, estimated usage where a report is missing, and the cache
// lifetime of the head.

/** Sums up a ledger, and prices the next request with a warm and a cold cache. */
export function costOf(question: CostQuestion): SessionCost {
  const { sources, breaks } = question.ledger;
  const totals = spentTokens(question.ledger);
  return {
    ...totals,
    gapUsd: totals.priceUsd - totals.perfectPriceUsd,
    bySource: Object.fromEntries(Object.entries(sources).map(([source, { totals: own }]) => [source, own])),
    byCause: sumOfCauses(Object.values(sources).map(({ causes }) => causes)),
    breaks,
    nextRequest: nextRequestCost(question),
  };
}

/** The cost of a session so far, and of its next request. */
export interface SessionCost extends LedgerTotals {
  /** `priceUsd` minus `perfectPriceUsd`. */
  readonly gapUsd: number;
  readonly bySource: Readonly<Record<string, LedgerTotals>>;
  readonly byCause: Readonly<Partial<Record<Cause, CauseTotals>>>;
  /** The newest 50, oldest first. */
  readonly breaks: readonly CacheBreak[];
  readonly nextRequest: NextRequestCost;
}

interface CostQuestion {
  readonly ledger: Ledger;
  /** The input of the next request. */
  readonly sizeTokens: number;
  /** The input of the next request if the cache has expired by then: old results may be cleared first. */
  readonly coldSizeTokens: number;
  /** The tokens of the newest answered request that the next request still starts with. @default all of them */
  readonly keptTokens?: number | undefined;
  readonly lifetimeMs: number;
  /** The tokens of the system prompt and the tools, if they are cached longer than the messages. @default none */
  readonly headTokens?: number | undefined;
  readonly prices?: ModelPrices | undefined;
  readonly nowMs: number;
}

function nextRequestCost(question: CostQuestion): NextRequestCost {
  const { ledger, sizeTokens, coldSizeTokens, keptTokens, headTokens = 0, prices, lifetimeMs, nowMs } = question;
  const previous = ledger.sources["main"]?.previous;
  const leftTokens = previous === undefined ? 0 : leftByRequest(previous);
  const cachedTokens = Math.min(leftTokens, keptTokens ?? leftTokens, sizeTokens);
  const coldAtMs = previous && previous.atMs + previous.lifetimeMs;
  const isWarm = coldAtMs !== undefined && nowMs < coldAtMs;
  const price = (inputTokens: number, readTokens: number): number | undefined =>
    prices && inputUsd(inputTokens, Math.min(readTokens, inputTokens), lifetimeMs, prices);
  const warmUsd = price(sizeTokens, cachedTokens);
  const coldUsd = price(coldSizeTokens, Math.min(headTokens, cachedTokens));
  return {
    inputTokens: sizeTokens,
    cachedTokens,
    cache: leftTokens === 0 ? "new" : isWarm ? "warm" : "cold",
    ...(coldAtMs === undefined || leftTokens === 0 ? {} : { coldAtMs }),
    ...(warmUsd === undefined || coldUsd === undefined ? {} : { warmUsd, coldUsd, pauseUsd: coldUsd - warmUsd }),
  };
}

/** The tokens that a request left in the cache. A service that caches by itself reports its reads only, and keeps the rest, too. */
function leftByRequest({ cacheReadTokens, cacheWriteTokens, freshTokens }: PreviousRequest): number {
  const cachesByItself = cacheWriteTokens === 0 && cacheReadTokens > 0;
  return cacheReadTokens + cacheWriteTokens + (cachesByItself ? freshTokens : 0);
}

/** The input of the next request: its output is not known yet. */
export interface NextRequestCost {
  readonly inputTokens: number;
  /** The tokens expected to be read from a warm cache. */
  readonly cachedTokens: number;
  /** `new`: nothing can be in the cache yet. */
  readonly cache: "warm" | "cold" | "new";
  /** When the cache expires or expired; absent if it is new. */
  readonly coldAtMs?: number;
  /** These fields are absent if the prices are unknown. */
  readonly warmUsd?: number;
  readonly coldUsd?: number;
  /** The extra cost of waiting until the cache is cold. */
  readonly pauseUsd?: number;
}

/** Returns the price of an input. Tokens that are not read from the cache are written to it. */
function inputUsd(inputTokens: number, cacheReadTokens: number, lifetimeMs: number, prices: ModelPrices): number {
  const cacheWriteTokens = inputTokens - cacheReadTokens;
  const cacheWrite1hTokens = lifetimeMs >= HOUR_MS ? cacheWriteTokens : 0;
  return priceUsd({ freshTokens: 0, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens, outputTokens: 0 }, prices);
}

function sumOfCauses(all: readonly Readonly<Partial<Record<Cause, CauseTotals>>>[]): SessionCost["byCause"] {
  const sums: Partial<Record<Cause, CauseTotals>> = {};
  for (const causes of all) {
    for (const [cause, lost] of Object.entries(causes) as [Cause, CauseTotals][]) {
      const sum = sums[cause];
      sums[cause] =
        sum === undefined
          ? lost
          : {
              breaks: sum.breaks + lost.breaks,
              rebilledTokens: sum.rebilledTokens + lost.rebilledTokens,
              rebilledUsd: sum.rebilledUsd + lost.rebilledUsd,
              gapUsd: sum.gapUsd + lost.gapUsd,
            };
    }
  }
  return sums;
}

/** Estimates how the input of a request was billed. Everything that the previous request left in the cache counts as read. */
export function estimateUsage(
  { sources }: Ledger,
  { request, source, nowMs }: EstimatedRequest,
  inputTokens: number,
): Pick<UsagePayload, "freshTokens" | "cacheReadTokens" | "cacheWriteTokens"> {
  const { previous, open = [] } = sources[source] ?? {};
  const isWarm = previous !== undefined && nowMs < previous.atMs + previous.lifetimeMs;
  const leftTokens = isWarm ? leftInCache(previous, {}) : 0;
  const keptTokens = open.findLast((one) => one.request === request)?.cache?.keptTokens ?? leftTokens;
  const cacheReadTokens = Math.min(leftTokens, keptTokens, inputTokens);
  const restTokens = inputTokens - cacheReadTokens;
  // A service that reported writes before also writes the new part now.
  const writes = (previous?.cacheWriteTokens ?? 0) > 0;
  return { cacheReadTokens, cacheWriteTokens: writes ? restTokens : 0, freshTokens: writes ? 0 : restTokens };
}

interface EstimatedRequest {
  /** The entry of the request; absent if the request was not made from the view. */
  readonly request: number | undefined;
  readonly source: string;
  readonly nowMs: number;
}

/**
 * Chooses whether the system prompt and the tools are cached for an hour while the messages are cached for five minutes. `auto`
 * decides only when they are written anyway. It chooses an hour if that would have saved money with the pauses of this session so
 * far, so a session without such pauses never pays more. docs/decisions/the-head-has-its-own-lifetime.md has the figures.
 */
export function chooseHeadTtl({ wanted, ledger, prices, nowMs }: HeadTtlQuestion): CacheTtl {
  if (wanted !== "auto") return wanted === "1h" ? "1h" : "5m";
  const { previous, rhythm } = ledger.sources["main"] ?? {};
  if (previous === undefined) return "5m";
  const { atMs, headLifetimeMs = previous.lifetimeMs } = previous;
  const pauseMs = nowMs - atMs;
  if (pauseMs < headLifetimeMs) return headLifetimeMs === HOUR_MS ? "1h" : "5m";
  const isMiddle = pauseMs >= LIFETIME_MS["5m"] && pauseMs < HOUR_MS;
  // `rhythm` counts the earlier pauses. The pause before this request is added here.
  const middlePauses = (rhythm?.middlePauses ?? 0) + (isMiddle ? 1 : 0);
  const longPauses = (rhythm?.longPauses ?? 0) + (isMiddle ? 0 : 1);
  const { read, write } = costsOf(prices);
  const long = prices === undefined ? USUAL_LONG_WRITE : costsOf(prices, { lifetimeMs: HOUR_MS }).write;
  return middlePauses * (write - read) > (1 + longPauses) * (long - write) ? "1h" : "5m";
}

/** The setting, and the state that `auto` decides by. */
export interface HeadTtlQuestion {
  /** The configured cache lifetime of the system prompt and the tools. */
  readonly wanted: "auto" | "same" | "1h";
  readonly ledger: Ledger;
  readonly prices: ModelPrices | undefined;
  readonly nowMs: number;
}
