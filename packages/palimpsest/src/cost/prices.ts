// Prices of responses, costs of single tokens, and cache lifetimes.

import type { ModelPrices } from "../log/cause.ts";
import type { CacheTtl, UsagePayload } from "../log/payload.ts";
import { inputTokensOf } from "../log/usage.ts";

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
