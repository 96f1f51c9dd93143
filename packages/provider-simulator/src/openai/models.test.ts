import { expect, it } from "vitest";
import { priceUsd } from "../price.ts";
import { NO_USAGE } from "../usage.ts";
import { findModel, openAiModels } from "./models.ts";

const million = { ...NO_USAGE, outputTokens: 1_000_000 };

it("7.4 prices GPT-6 per million tokens", () => {
  const output = (id: string) => priceUsd(million, openAiModels[id]!.prices);
  expect([output("gpt-6-astra"), output("gpt-6-sol"), output("gpt-6-luna")]).toEqual([50, 10, 0.5]);
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
