import type { ReplayedRequest } from "@palimpsest/observe/replay";
import { expect, test } from "vitest";
import { pricesOf } from "./conditions.ts";
import { summaryPrices } from "./summary-prices.ts";

const request = (source: ReplayedRequest["source"], more: Partial<ReplayedRequest> = {}): ReplayedRequest => ({
  ...{ source, freshTokens: 0, cacheReadTokens: 100_000, cacheWriteTokens: 0, outputTokens: 4_000 },
  ...more,
});

test("second calls in one round and cold prompts are told apart from the rest", () => {
  const prices = pricesOf(0.1);
  const cold = request("summary", { cacheReadTokens: 0, cacheWriteTokens: 100_000 });
  const requests = [request("conversation"), cold, request("conversation"), request("summary"), request("summary")];
  const { summaryPrice, secondSummaryPrice, coldSummaryExtra } = summaryPrices(requests, prices);
  expect(secondSummaryPrice).toBeCloseTo(0.15, 6);
  expect(coldSummaryExtra).toBeCloseTo(0.575, 6);
  expect(summaryPrice).toBeCloseTo(0.725 + 0.15 + 0.15, 6);
});
