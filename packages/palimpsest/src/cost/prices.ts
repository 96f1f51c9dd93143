import { inputTokensOf } from "../log/input-tokens.ts";
import type { UsagePayload } from "../log/payload.ts";
import type { ModelPrices } from "../log/prices.ts";

/** The billed tokens of a response. */
export type BilledTokens = Pick<
  UsagePayload,
  "freshTokens" | "cacheReadTokens" | "cacheWriteTokens" | "cacheWrite1hTokens" | "outputTokens"
>;

const PER_MILLION = 1e-6;

/** Returns the price in US dollars. Above the model's threshold, the higher prices apply to the whole request. */
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

/**
 * Returns the same response as if this much of its input had been read from the cache: first fewer tokens are written, then
 * fewer are uncached input.
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
