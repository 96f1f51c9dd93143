import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { budgetOf, clampMaxTokens, levelOf, percentLeft, type WindowSources, windowOf } from "./budget.ts";

describe("a window of 200,000", () => {
  const budget = budgetOf({ windowTokens: 200_000 });

  test("is nearly full at 167,000 tokens", () => {
    expect(budget).toEqual({
      windowTokens: 200_000,
      usableTokens: 180_000,
      autoCompactTokens: 167_000,
      limitTokens: 167_000,
      warningTokens: 147_000,
      errorTokens: 157_000,
      hardLimitTokens: 177_000,
    });
  });

  test("has the usable window as its limit without automatic compaction", () => {
    const manual = budgetOf({ windowTokens: 200_000, autoCompaction: "off" });
    expect(manual).toMatchObject({ limitTokens: 180_000, warningTokens: 160_000, errorTokens: 170_000 });
  });

  test.each([
    [0, "ok"],
    [146_999, "ok"],
    [147_000, "warning"],
    [157_000, "error"],
    [176_999, "error"],
    [177_000, "blocked"],
  ])("at %i tokens is %s", (sizeTokens, level) => {
    expect(levelOf(budget, sizeTokens)).toBe(level);
  });

  test.each([
    [0, 100],
    [83_500, 50],
    [166_500, 0],
    [300_000, 0],
  ])("at %i tokens has %i percent left", (sizeTokens, percent) => {
    expect(percentLeft(budget, sizeTokens)).toBe(percent);
  });
});

test("uses shares of the window as margins if the window is small", () => {
  expect(budgetOf({ windowTokens: 8_000 })).toEqual({
    windowTokens: 8_000,
    usableTokens: 6_400,
    autoCompactTokens: 5_600,
    limitTokens: 5_600,
    warningTokens: 4_800,
    errorTokens: 5_200,
    hardLimitTokens: 6_240,
  });
});

test("keeps the levels positive and in order for every window from 4,000 to 10,000,000", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.integer({ min: 4_000, max: 300_000 }), fc.integer({ min: 4_000, max: 10_000_000 })),
      fc.constantFrom("on" as const, "off" as const),
      (windowTokens, autoCompaction) => {
        const budget = budgetOf({ windowTokens, autoCompaction });
        const levels = [
          budget.warningTokens,
          budget.autoCompactTokens,
          budget.hardLimitTokens,
          budget.usableTokens,
          windowTokens,
        ];
        expect(levels.every(Number.isInteger)).toBe(true);
        expect(budget.warningTokens).toBeGreaterThan(0);
        expect(budget.warningTokens).toBeLessThanOrEqual(budget.autoCompactTokens);
        expect(budget.autoCompactTokens).toBeLessThan(budget.hardLimitTokens);
        expect(budget.hardLimitTokens).toBeLessThan(budget.usableTokens);
        expect(budget.usableTokens).toBeLessThan(windowTokens);
        expect(budget.warningTokens).toBeLessThanOrEqual(budget.errorTokens);
        expect(budget.errorTokens).toBeLessThanOrEqual(budget.limitTokens);
      },
    ),
    { numRuns: 2_000 },
  );
});

test("fits input and max_tokens into the window if the input leaves room for one token", () => {
  const tokens = fc.integer({ min: 1, max: 1_000_000 });
  fc.assert(
    fc.property(tokens, tokens, tokens, (windowTokens, sizeTokens, wantedTokens) => {
      const maxTokens = clampMaxTokens({ windowTokens, sizeTokens, wantedTokens });
      expect(maxTokens).toBeGreaterThanOrEqual(1);
      expect(maxTokens).toBeLessThanOrEqual(wantedTokens);
      if (sizeTokens < windowTokens) expect(sizeTokens + maxTokens).toBeLessThanOrEqual(windowTokens);
    }),
  );
  // The size is an estimate: a fiftieth of the window is kept free, and at most 3,000 tokens.
  expect(clampMaxTokens({ windowTokens: 8_192, sizeTokens: 8_000, wantedTokens: 4_096 })).toBe(192 - 163);
  expect(clampMaxTokens({ windowTokens: 200_000, sizeTokens: 190_000, wantedTokens: 20_000 })).toBe(7_000);
});

const fallbackTokens = 32_768;
const tokensOf = (sources: WindowSources): number => windowOf(sources).tokens;
const all = {
  model: "large[1m]",
  windowTokens: 400_000,
  betas: ["context-1m-2025-08-07"],
  fallbackTokens,
};

test("takes the window from the first source that knows it", () => {
  expect(tokensOf(all)).toBe(1_000_000);
  expect(tokensOf({ ...all, model: "large" })).toBe(400_000);
  expect(tokensOf({ model: "large", betas: all.betas, fallbackTokens })).toBe(1_000_000);
  expect(tokensOf({ model: "large", fallbackTokens })).toBe(32_768);
});

test.each([0, -1, 1.5, Number.NaN, undefined])("ignores a capability of %s", (capabilityTokens) => {
  expect(tokensOf({ model: "large", windowTokens: capabilityTokens, fallbackTokens })).toBe(32_768);
});

test("ignores betas without a long window", () => {
  const betas = ["context-management-2025-06-27", "context-1month"];
  expect(tokensOf({ model: "large", betas, fallbackTokens })).toBe(32_768);
});

test("takes the input limit as the window if it is smaller", () => {
  expect(tokensOf({ model: "m", windowTokens: 1_050_000, maxInputTokens: 922_000, fallbackTokens })).toBe(922_000);
  expect(tokensOf({ model: "m", windowTokens: 40_000, maxInputTokens: 922_000, fallbackTokens })).toBe(40_000);
  expect(tokensOf({ model: "m", maxInputTokens: 922_000, fallbackTokens })).toBe(922_000);
});
