// Divides the counted tokens and the price of a response among the segments of its request.

import { type LedgerLine, priceUsd } from "../cost/ledger.ts";
import type { ModelPrices } from "../log/cause.ts";
import { inputTokensOf } from "../log/usage.ts";
import { inPromptOrder, type Segment } from "./segment.ts";

/** A segment with its share of the counted tokens and of the price. */
export interface PricedSegment extends Segment {
  /** The segment's share of the input tokens that the provider counted; absent without a report. */
  readonly countedTokens?: number;
  /** The part of `countedTokens` that was read from the cache, from the beginning of the segment. */
  readonly cachedTokens?: number;
  /** The segment's share of the price of the input; absent if prices are unknown. */
  readonly usd?: number;
}

/**
 * Divides the counted tokens and the price of a response among the segments, in proportion to their estimates. The provider reads a
 * prompt from the cache from its beginning up to one point. Everything after this point was billed as fresh or written input.
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
