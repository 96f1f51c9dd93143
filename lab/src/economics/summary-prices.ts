import type { ReplayedRequest } from "@palimpsest/observe/replay";
import { type ModelPrices, priceUsd } from "palimpsest/inspect";

/** What the calls that write summaries cost. */
export interface SummaryPrices {
  readonly summaryPrice: number;
  /** Of calls that follow another one in the same round: repairs. */
  readonly secondSummaryPrice: number;
  /** Of calls that found less than half of their prompt in the cache: what they cost more than with a warm cache. */
  readonly coldSummaryExtra: number;
}

export function summaryPrices(requests: readonly ReplayedRequest[], prices: ModelPrices): SummaryPrices {
  let [summaryPrice, secondSummaryPrice, coldSummaryExtra] = [0, 0, 0];
  for (const [index, request] of requests.entries()) {
    if (request.source !== "summary") continue;
    const price = priceUsd(request, prices);
    summaryPrice += price;
    if (requests[index - 1]?.source === "summary") secondSummaryPrice += price;
    const { freshTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = request;
    const missedTokens = freshTokens + cacheWriteTokens;
    if (missedTokens <= cacheReadTokens) continue;
    const warm = { freshTokens: 0, cacheReadTokens: cacheReadTokens + missedTokens, cacheWriteTokens: 0, outputTokens };
    coldSummaryExtra += price - priceUsd(warm, prices);
  }
  return { summaryPrice, secondSummaryPrice, coldSummaryExtra };
}
