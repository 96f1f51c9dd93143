import type { ModelPrices } from "../log/cause.ts";
import type { CacheTtl, UsagePayload } from "../log/payload.ts";
import { inputTokensOf } from "../log/usage.ts";

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

/** The cost of a token in any unit: only the proportions matter for a decision. */
export interface TokenCosts {
  /** Neither read from the cache nor written to it. */
  readonly input: number;
  readonly read: number;
  readonly write: number;
  readonly output: number;
  /** US dollars for one unit of the costs above; absent if no prices are known. */
  readonly usdPerUnit?: number;
}

/** The default: a read at a tenth of the input price, a write at five quarters of it, output at five times it. */
export const USUAL_COSTS: TokenCosts = { input: 1, read: 0.1, write: 1.25, output: 5 };

/** Without known prices: writing for an hour costs twice the input price. */
export const USUAL_LONG_WRITE = 2;

/** From this lifetime on, the long one is billed. */
export const HOUR_MS = 3_600_000;

export const LIFETIME_MS: Readonly<Record<CacheTtl, number>> = { "5m": 300_000, "1h": HOUR_MS };

interface CostOptions {
  /** The lifetime of written tokens. @default the shortest that can be chosen */
  readonly lifetimeMs?: number | undefined;
  /** Size of the request: above the model's threshold the higher prices apply to all of it. @default below it */
  readonly inputTokens?: number;
}

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
