import { expect, test } from "vitest";
import { costsOf, HOUR_MS, USUAL_COSTS } from "./prices.ts";

const low = { input: 4, output: 20, cacheRead: 0.4, cacheWrite5m: 5, cacheWrite1h: 8 };
const high = { input: 8, output: 30, cacheRead: 0.8, cacheWrite5m: 10, cacheWrite1h: 16 };
const prices = { ...low, above: { ...high, inputTokens: 100_000 } };

test("writing costs by how long it is to be kept, and all of it more above the threshold", () => {
  expect(costsOf(prices)).toEqual({ input: 4, read: 0.4, write: 5, output: 20, usdPerUnit: 1e-6 });
  expect(costsOf(prices, { lifetimeMs: HOUR_MS }).write).toBe(8);
  expect(costsOf(prices, { inputTokens: 100_000 }).read).toBe(0.4);
  expect(costsOf(prices, { inputTokens: 100_001, lifetimeMs: HOUR_MS })).toMatchObject({ read: 0.8, write: 16 });
});

test("without prices there are proportions, and no dollars", () => {
  expect(costsOf(undefined)).toBe(USUAL_COSTS);
  expect(USUAL_COSTS.usdPerUnit).toBeUndefined();
});
