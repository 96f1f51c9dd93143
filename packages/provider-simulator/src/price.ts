import { inputTokensOf, type Usage } from "./usage.ts";

/** Prices in US dollars per million tokens; cache prices as multiples of the input price. */
export interface Prices {
  readonly input: number;
  readonly output: number;
  readonly cacheReadMultiple: number;
  readonly cacheWriteMultiple: number;
  readonly longCacheWriteMultiple: number;
  /** Prices of the whole request once its prompt is larger than this. */
  readonly above?: { readonly inputTokens: number; readonly input: number; readonly output: number };
}

/** The price of a response in US dollars. */
export function priceUsd(usage: Usage, prices: Prices): number {
  const large = prices.above !== undefined && inputTokensOf(usage) > prices.above.inputTokens ? prices.above : prices;
  const inputUnits =
    usage.freshTokens +
    usage.cacheReadTokens * prices.cacheReadMultiple +
    usage.cacheWriteTokens * prices.cacheWriteMultiple +
    usage.longCacheWriteTokens * prices.longCacheWriteMultiple;
  return (inputUnits * large.input + usage.outputTokens * large.output) / 1_000_000;
}
