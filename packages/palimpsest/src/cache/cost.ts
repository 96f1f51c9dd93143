import type { Cause } from "../log/cause.ts";
import type { ModelPrices } from "../log/prices.ts";
import { type CacheBreak, type CauseTotals, type Ledger, type LedgerTotals, spentTokens } from "./ledger.ts";
import { priceUsd } from "./prices.ts";
import { HOUR_MS } from "./token-costs.ts";

/** What a session has cost, and what its next request will. */
export interface SessionCost extends LedgerTotals {
  /** `priceUsd` less `perfectPriceUsd`. */
  readonly gapUsd: number;
  readonly bySource: Readonly<Record<string, LedgerTotals>>;
  readonly byCause: Readonly<Partial<Record<Cause, CauseTotals>>>;
  /** The newest 50, oldest first. */
  readonly breaks: readonly CacheBreak[];
  readonly nextRequest: NextRequestCost;
}

/** The input of the next request: what it says is not known before it is said. */
export interface NextRequestCost {
  readonly inputTokens: number;
  /** How much of it is expected to be in the cache, if that is warm. */
  readonly cachedTokens: number;
  /** `new`: there is nothing that could be in the cache. */
  readonly cache: "warm" | "cold" | "new";
  /** When the cache goes cold, or went; absent if it is new. */
  readonly coldAtMs?: number;
  /** These are absent where the prices are not known. */
  readonly warmUsd?: number;
  readonly coldUsd?: number;
  /** What waiting until the cache is cold costs, or has cost. */
  readonly pauseUsd?: number;
}

export interface CostQuestion {
  readonly ledger: Ledger;
  /** What the next request will consist of. */
  readonly sizeTokens: number;
  /** How much of the newest answered request it still begins with. @default all of it */
  readonly keptTokens?: number | undefined;
  readonly lifetimeMs: number;
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

function nextRequestCost({ ledger, sizeTokens, keptTokens, prices, lifetimeMs, nowMs }: CostQuestion): NextRequestCost {
  const previous = ledger.sources["main"]?.previous;
  const leftTokens = previous === undefined ? 0 : previous.cacheReadTokens + previous.cacheWriteTokens;
  const cachedTokens = Math.min(leftTokens, keptTokens ?? leftTokens, sizeTokens);
  const coldAtMs = previous && previous.atMs + previous.lifetimeMs;
  const isWarm = coldAtMs !== undefined && nowMs < coldAtMs;
  const price = (readTokens: number): number | undefined =>
    prices && inputUsd(sizeTokens, readTokens, lifetimeMs, prices);
  const [warmUsd, coldUsd] = [price(cachedTokens), price(0)];
  return {
    inputTokens: sizeTokens,
    cachedTokens,
    cache: leftTokens === 0 ? "new" : isWarm ? "warm" : "cold",
    ...(coldAtMs === undefined || leftTokens === 0 ? {} : { coldAtMs }),
    ...(warmUsd === undefined || coldUsd === undefined ? {} : { warmUsd, coldUsd, pauseUsd: coldUsd - warmUsd }),
  };
}

/** What is not read is written. */
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
