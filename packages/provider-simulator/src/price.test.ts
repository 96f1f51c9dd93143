import { expect, test } from "vitest";
import { type Prices, priceUsd } from "./price.ts";
import { addUsage, inputTokensOf, NO_USAGE } from "./usage.ts";

const prices: Prices = {
  input: 4,
  output: 20,
  cacheReadMultiple: 0.05,
  cacheWriteMultiple: 1.25,
  longCacheWriteMultiple: 2,
};

test("each kind of token has its price", () => {
  const million = 1_000_000;
  expect(priceUsd({ ...NO_USAGE, freshTokens: million }, prices)).toBeCloseTo(4);
  expect(priceUsd({ ...NO_USAGE, cacheReadTokens: million }, prices)).toBeCloseTo(0.2);
  expect(priceUsd({ ...NO_USAGE, cacheWriteTokens: million }, prices)).toBeCloseTo(5);
  expect(priceUsd({ ...NO_USAGE, longCacheWriteTokens: million }, prices)).toBeCloseTo(8);
  // Thinking is part of the output, not added to it.
  expect(priceUsd({ ...NO_USAGE, outputTokens: million, thinkingTokens: million / 2 }, prices)).toBeCloseTo(20);
});

test("a prompt above the threshold is dearer as a whole, cached or not", () => {
  const tiered = { ...prices, above: { inputTokens: 100_000, input: 8, output: 30 } };
  const usage = { ...NO_USAGE, freshTokens: 1, cacheReadTokens: 100_000, outputTokens: 1_000 };
  expect(inputTokensOf(usage)).toBe(100_001);
  expect(priceUsd(usage, tiered)).toBeCloseTo((8 * (1 + 5_000) + 30 * 1_000) / 1_000_000);
  expect(priceUsd({ ...usage, freshTokens: 0 }, tiered)).toBeCloseTo((4 * 5_000 + 20 * 1_000) / 1_000_000);
});

test("usages add up field by field", () => {
  const usage = {
    freshTokens: 1,
    cacheReadTokens: 2,
    cacheWriteTokens: 3,
    longCacheWriteTokens: 4,
    outputTokens: 5,
    thinkingTokens: 6,
  };
  expect(addUsage(usage, usage)).toEqual({
    freshTokens: 2,
    cacheReadTokens: 4,
    cacheWriteTokens: 6,
    longCacheWriteTokens: 8,
    outputTokens: 10,
    thinkingTokens: 12,
  });
  expect(addUsage(usage, NO_USAGE)).toEqual(usage);
});
