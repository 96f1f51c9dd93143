import { expect, it } from "vitest";
import { priceUsd } from "../price.ts";
import { NO_USAGE } from "../usage.ts";
import { findModel, openAiModels } from "./models.ts";

const million = { ...NO_USAGE, outputTokens: 1_000_000 };

// Dollars per million tokens in and out, and what a read costs as a part of the input price, typed out from 7.2 and 7.4.
it.each([
  ["gpt-6-astra", 10, 50, 0.1],
  ["gpt-6.1-sol", 2, 10, 0.05],
  ["gpt-6-sol", 2, 10, 0.1],
  ["gpt-6-luna", 0.1, 0.5, 0.1],
  ["gpt-5.6-sol", 4, 20, 0.1],
])("7.4 figures of %s", (id, input, output, cacheReadMultiple) => {
  expect(openAiModels[id]).toMatchObject({
    windowTokens: 1_050_000,
    maxInputTokens: 922_000,
    maxOutputTokens: 128_000,
    prices: { input, output, cacheReadMultiple, cacheWriteMultiple: 1.25, longCacheWriteMultiple: 1.25 },
  });
  expect(priceUsd(million, openAiModels[id]!.prices)).toBe(output);
});

it("7.4 above 272K input tokens the whole request costs twice the input and half as much again the output", () => {
  const { prices } = openAiModels["gpt-6-sol"]!;
  const usd = (freshTokens: number) => priceUsd({ ...NO_USAGE, freshTokens, outputTokens: 1_000 }, prices);
  expect(usd(272_000)).toBeCloseTo((272_000 * 2 + 1_000 * 10) / 1e6, 9);
  expect(usd(272_001)).toBeCloseTo((272_001 * 4 + 1_000 * 15) / 1e6, 9);
});

it("7.2 writes cost 1.25 times the input from GPT-5.6 on, and reads up to 95 percent less", () => {
  const { prices } = openAiModels["gpt-6.1-sol"]!;
  expect(priceUsd({ ...NO_USAGE, cacheWriteTokens: 100_000 }, prices)).toBeCloseTo(0.25, 9);
  expect(priceUsd({ ...NO_USAGE, cacheReadTokens: 100_000 }, prices)).toBeCloseTo(0.01, 9);
  expect(openAiModels["gpt-5.2"]!.cache.kind).toBe("automatic");
});

it("finds models by id and by dated snapshot, and nothing by accident", () => {
  expect(findModel("gpt-5.2-2025-12-11", openAiModels)?.id).toBe("gpt-5.2");
  expect(findModel("constructor", openAiModels)).toBeUndefined();
  expect(findModel("gpt-5", openAiModels)).toBeUndefined();
});
