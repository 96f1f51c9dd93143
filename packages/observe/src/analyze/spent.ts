import { addCounts } from "palimpsest/inspect";
import type { SpentTotals } from "./analysis.ts";
import type { Billed } from "./price-response.ts";

export const NOTHING_SPENT: SpentTotals = {
  responses: 0,
  freshTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  usd: 0,
  perfectUsd: 0,
  unpricedResponses: 0,
  estimatedOutputs: 0,
};

const COUNTS = Object.keys(NOTHING_SPENT) as readonly (keyof SpentTotals)[];

export interface Spent {
  readonly billed: Billed;
  readonly usd: number | undefined;
  readonly perfectUsd: number | undefined;
  readonly isEstimated: boolean;
}

export function addSpent(totals: SpentTotals, { billed, usd, perfectUsd, isEstimated }: Spent): SpentTotals {
  return sumSpent(totals, {
    responses: 1,
    freshTokens: billed.freshTokens,
    cacheReadTokens: billed.cacheReadTokens,
    cacheWriteTokens: billed.cacheWriteTokens,
    outputTokens: billed.outputTokens,
    usd: usd ?? 0,
    perfectUsd: perfectUsd ?? 0,
    unpricedResponses: usd === undefined ? 1 : 0,
    estimatedOutputs: isEstimated ? 1 : 0,
  });
}

export function sumSpent(left: SpentTotals, right: SpentTotals): SpentTotals {
  return addCounts(COUNTS, left, right);
}
