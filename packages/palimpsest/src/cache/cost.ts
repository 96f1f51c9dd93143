import { type CacheBreak, type CauseTotals, type Ledger, type LedgerTotals, spentTokens } from "../cost/ledger.ts";
import { priceUsd } from "../cost/prices.ts";
import type { Cause } from "../log/cause.ts";
import type { ModelPrices } from "../log/prices.ts";
import { HOUR_MS } from "./token-costs.ts";

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

export interface CostQuestion {
  readonly ledger: Ledger;
  /** The parts of the next request. */
  readonly sizeTokens: number;
  /** The tokens of the newest answered request that the next one still begins with. @default all of it */
  readonly keptTokens?: number | undefined;
  readonly lifetimeMs: number;
  /** The tokens of the system prompt and the tools, if they are cached longer than the messages. @default none */
  readonly headTokens?: number | undefined;
  readonly prices?: ModelPrices | undefined;
  readonly nowMs: number;
}

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

function nextRequestCost(question: CostQuestion): NextRequestCost {
  const { ledger, sizeTokens, keptTokens, headTokens = 0, prices, lifetimeMs, nowMs } = question;
  const previous = ledger.sources["main"]?.previous;
  const leftTokens = previous === undefined ? 0 : previous.cacheReadTokens + previous.cacheWriteTokens;
  const cachedTokens = Math.min(leftTokens, keptTokens ?? leftTokens, sizeTokens);
  const coldAtMs = previous && previous.atMs + previous.lifetimeMs;
  const isWarm = coldAtMs !== undefined && nowMs < coldAtMs;
  const price = (readTokens: number): number | undefined =>
    prices && inputUsd(sizeTokens, readTokens, lifetimeMs, prices);
  const [warmUsd, coldUsd] = [price(cachedTokens), price(Math.min(headTokens, cachedTokens))];
  return {
    inputTokens: sizeTokens,
    cachedTokens,
    cache: leftTokens === 0 ? "new" : isWarm ? "warm" : "cold",
    ...(coldAtMs === undefined || leftTokens === 0 ? {} : { coldAtMs }),
    ...(warmUsd === undefined || coldUsd === undefined ? {} : { warmUsd, coldUsd, pauseUsd: coldUsd - warmUsd }),
  };
}

/** Input that is not read from the cache is written to it. */
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
