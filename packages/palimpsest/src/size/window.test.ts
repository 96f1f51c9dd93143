import { expect, test } from "vitest";
import { type WindowSources, windowOf } from "./budget.ts";

const fallbackTokens = 32_768;
const tokensOf = (sources: WindowSources): number => windowOf(sources).tokens;
const all = {
  model: "large[1m]",
  windowTokens: 400_000,
  betas: ["context-1m-2025-08-07"],
  fallbackTokens,
};

test("the first source that knows decides", () => {
  expect(tokensOf(all)).toBe(1_000_000);
  expect(tokensOf({ ...all, model: "large" })).toBe(400_000);
  expect(tokensOf({ model: "large", betas: all.betas, fallbackTokens })).toBe(1_000_000);
  expect(tokensOf({ model: "large", fallbackTokens })).toBe(32_768);
});

test.each([0, -1, 1.5, Number.NaN, undefined])("a capability of %s is none", (capabilityTokens) => {
  expect(tokensOf({ model: "large", windowTokens: capabilityTokens, fallbackTokens })).toBe(32_768);
});

test("another beta does not make the window long", () => {
  const betas = ["context-management-2025-06-27", "context-1month"];
  expect(tokensOf({ model: "large", betas, fallbackTokens })).toBe(32_768);
});

test("where less input is taken than the window holds, the smaller one is the window", () => {
  expect(tokensOf({ model: "m", windowTokens: 1_050_000, maxInputTokens: 922_000, fallbackTokens })).toBe(922_000);
  expect(tokensOf({ model: "m", windowTokens: 40_000, maxInputTokens: 922_000, fallbackTokens })).toBe(40_000);
  expect(tokensOf({ model: "m", maxInputTokens: 922_000, fallbackTokens })).toBe(922_000);
});
