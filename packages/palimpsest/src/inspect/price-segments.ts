import type { LedgerLine } from "../cost/ledger.ts";
import { priceUsd } from "../cost/prices.ts";
import type { ModelPrices } from "../log/cause.ts";
import { inputTokensOf } from "../log/usage.ts";
import { inPromptOrder, type Segment } from "./segment.ts";

/** A segment, with its share of what the provider has counted. */
export interface PricedSegment extends Segment {
  /** Its share of the input that the provider has counted; absent without a report. */
  readonly countedTokens?: number;
  /** The part of them that was read from the cache, from the beginning of the segment. */
  readonly cachedTokens?: number;
  /** Its share of the price of the input; absent if prices are unknown. */
  readonly usd?: number;
}

/**
 * Divides what the provider has counted and billed among the segments, by their estimates. A prompt is read from the cache from
 * its beginning on: so much as was read lies before one point, the cache line, and the rest was written or read anew.
 */
export function priceSegments(segments: readonly Segment[], { line, prices }: PriceQuestion): readonly PricedSegment[] {
  const inputTokens = line === undefined ? 0 : inputTokensOf(line);
  const ordered = inPromptOrder(segments);
  const estimated = ordered.reduce((sum, { tokens }) => sum + tokens, 0);
  if (line === undefined || inputTokens === 0 || estimated === 0) return segments;
  const nothing = { freshTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };
  const readUsd = prices && priceUsd({ ...nothing, cacheReadTokens: line.cacheReadTokens }, prices);
  const { freshTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens = 0 } = line;
  const billed = { ...nothing, freshTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens };
  const newUsd = prices && priceUsd(billed, prices) - readUsd!;
  const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
  const priced = new Map<Segment, PricedSegment>();
  let before = 0;
  for (const segment of ordered) {
    const countedTokens = (segment.tokens / estimated) * inputTokens;
    const cachedTokens = Math.min(countedTokens, Math.max(0, cacheReadTokens - before));
    before += countedTokens;
    const usd =
      readUsd === undefined || newUsd === undefined
        ? {}
        : {
            usd:
              readUsd * share(cachedTokens, cacheReadTokens) +
              newUsd * share(countedTokens - cachedTokens, inputTokens - cacheReadTokens),
          };
    priced.set(segment, { ...segment, countedTokens, cachedTokens, ...usd });
  }
  return segments.map((segment) => priced.get(segment) ?? segment);
}

interface PriceQuestion {
  readonly line: LedgerLine | undefined;
  readonly prices: ModelPrices | undefined;
}
