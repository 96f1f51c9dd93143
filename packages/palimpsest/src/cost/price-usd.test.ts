import fc from "fast-check";
import { expect, test } from "vitest";
import { inputTokensOf } from "../log/usage.ts";
import { costsOf, HOUR_MS, priceUsd, USUAL_COSTS, withCacheRead } from "./ledger.ts";

const prices = { input: 4, output: 20, cacheRead: 0.2, cacheWrite5m: 5, cacheWrite1h: 8 };
const tiered = {
  ...prices,
  above: { inputTokens: 100_000, input: 8, output: 30, cacheRead: 0.4, cacheWrite5m: 10, cacheWrite1h: 16 },
};
const million = 1_000_000;
const none = { freshTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };

test.each([
  [{ freshTokens: million }, 4],
  [{ cacheReadTokens: million }, 0.2],
  [{ cacheWriteTokens: million }, 5],
  [{ cacheWriteTokens: million, cacheWrite1hTokens: million }, 8],
  [{ cacheWriteTokens: million, cacheWrite1hTokens: million / 2 }, 6.5],
  [{ outputTokens: million }, 20],
])("prices %j at %d dollars", (used, usd) => {
  expect(priceUsd({ ...none, ...used }, prices)).toBeCloseTo(usd, 9);
});

test("uses the higher prices for input and output above the input threshold", () => {
  const at = { ...none, cacheReadTokens: 100_000, outputTokens: 1_000 };
  expect(priceUsd(at, tiered)).toBeCloseTo(0.1 * 0.2 + 0.001 * 20, 9);
  expect(priceUsd({ ...at, freshTokens: 1 }, tiered)).toBeCloseTo(0.1 * 0.4 + 0.001 * 30 + 8e-6, 9);
});

test("keeps the input, and never raises the price, if more is read from the cache", () => {
  const tokens = fc.nat(200_000);
  const billed = fc.record({
    freshTokens: tokens,
    cacheReadTokens: tokens,
    cacheWriteTokens: tokens,
    outputTokens: tokens,
  });
  fc.assert(
    fc.property(billed, fc.double({ min: 0, max: 1, noNaN: true }), tokens, (some, share, read) => {
      const used = { ...some, cacheWrite1hTokens: Math.floor(some.cacheWriteTokens * share) };
      const better = withCacheRead(used, read);
      expect(inputTokensOf(better)).toBe(inputTokensOf(used));
      expect(better.cacheReadTokens).toBe(Math.max(used.cacheReadTokens, Math.min(read, inputTokensOf(used))));
      expect(Object.values(better).every((count) => count >= 0)).toBe(true);
      expect(priceUsd(better, tiered)).toBeLessThanOrEqual(priceUsd(used, tiered) + 1e-9);
    }),
  );
});

const low = { input: 4, output: 20, cacheRead: 0.4, cacheWrite5m: 5, cacheWrite1h: 8 };
const high = { input: 8, output: 30, cacheRead: 0.8, cacheWrite5m: 10, cacheWrite1h: 16 };
const twoTiers = { ...low, above: { ...high, inputTokens: 100_000 } };

test("prices writes by lifetime, and all tokens higher above the threshold", () => {
  expect(costsOf(twoTiers)).toEqual({ input: 4, read: 0.4, write: 5, output: 20, usdPerUnit: 1e-6 });
  expect(costsOf(twoTiers, { lifetimeMs: HOUR_MS }).write).toBe(8);
  expect(costsOf(twoTiers, { inputTokens: 100_000 }).read).toBe(0.4);
  expect(costsOf(twoTiers, { inputTokens: 100_001, lifetimeMs: HOUR_MS })).toMatchObject({ read: 0.8, write: 16 });
});

test("uses proportions without dollars if the prices are unknown", () => {
  expect(costsOf(undefined)).toBe(USUAL_COSTS);
  expect(USUAL_COSTS.usdPerUnit).toBeUndefined();
});
