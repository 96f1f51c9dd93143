import { inputTokensOf, type ModelPrices, priceUsd, USUAL_COSTS } from "palimpsest/inspect";

import type { RecordedUsage } from "../transcripts/readers/recorded.ts";

const PER_MILLION = 1e-6;

/** The billed tokens of a response. */
export interface Billed {
  readonly freshTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly cacheWrite1hTokens?: number;
  readonly outputTokens: number;
}

/** US dollars for one token of each sort. */
export interface Rates {
  readonly read: number;
  /** The mean price of input that was not read from the cache, written or not. */
  readonly unread: number;
  readonly output: number;
}

export function toBilled(usage: RecordedUsage, outputTokens: number): Billed {
  const { freshTokens, cacheReadTokens, cacheWriteTokens = 0, cacheWrite1hTokens } = usage;
  const long = cacheWrite1hTokens === undefined ? {} : { cacheWrite1hTokens };
  return { freshTokens, cacheReadTokens, cacheWriteTokens, ...long, outputTokens };
}

/**
 * Returns the price of each token of a response; undefined if it is unknown. Uses the model's prices; without them, the agent's
 * own cost figure, distributed as usual among providers.
 */
export function ratesOf(billed: Billed, prices: ModelPrices | undefined, costUsd?: number): Rates | undefined {
  if (prices !== undefined) {
    const inputTokens = inputTokensOf(billed);
    const { above } = prices;
    const rates = above !== undefined && inputTokens > above.inputTokens ? above : prices;
    const [read, output] = [rates.cacheRead * PER_MILLION, rates.output * PER_MILLION];
    const unreadTokens = inputTokens - billed.cacheReadTokens;
    const unreadUsd = priceUsd(billed, prices) - billed.cacheReadTokens * read - billed.outputTokens * output;
    return { read, output, unread: unreadTokens === 0 ? 0 : unreadUsd / unreadTokens };
  }
  if (costUsd === undefined) return undefined;
  const { input, read, write, output } = USUAL_COSTS;
  const { freshTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = billed;
  const unreadUnits = freshTokens * input + cacheWriteTokens * write;
  const units = unreadUnits + cacheReadTokens * read + outputTokens * output;
  const usdPerUnit = units === 0 ? 0 : costUsd / units;
  const unreadTokens = freshTokens + cacheWriteTokens;
  return {
    read: read * usdPerUnit,
    output: output * usdPerUnit,
    unread: unreadTokens === 0 ? 0 : (unreadUnits * usdPerUnit) / unreadTokens,
  };
}
