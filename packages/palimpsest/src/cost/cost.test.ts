import { expect, test } from "vitest";
import { costOf } from "./cost.ts";
import { EMPTY_LEDGER, type Ledger, NO_TOTALS } from "./ledger.ts";

const prices = { input: 4, output: 20, cacheRead: 0.4, cacheWrite5m: 5, cacheWrite1h: 8 };
const lost = { breaks: 1, rebilledTokens: 10, rebilledUsd: 0.5, gapUsd: 0.25 };
const ledger: Ledger = {
  sources: {
    main: {
      totals: { ...NO_TOTALS, responses: 2, priceUsd: 3, perfectPriceUsd: 2.75 },
      causes: { pause: lost },
      open: [],
      previous: {
        request: 5,
        at: 5,
        atMs: 1_000,
        responseId: "r",
        configuration: 1,
        images: "none",
        lifetimeMs: 300_000,
        freshTokens: 0,
        cacheReadTokens: 30_000,
        cacheWriteTokens: 10_000,
      },
    },
    fork: {
      totals: { ...NO_TOTALS, responses: 1, priceUsd: 1, perfectPriceUsd: 1 },
      causes: { pause: lost },
      open: [],
    },
  },
  pending: [],
  breaks: [],
};
const next = { ledger, sizeTokens: 50_000, lifetimeMs: 300_000, prices, nowMs: 2_000 };

test("adds up sources and causes", () => {
  expect(costOf(next)).toMatchObject({
    responses: 3,
    priceUsd: 4,
    gapUsd: 0.25,
    bySource: { main: { responses: 2 }, fork: { responses: 1 } },
    byCause: { pause: { breaks: 2, rebilledTokens: 20, gapUsd: 0.5 } },
  });
});

test("says what the next request costs warm and cold, until when it is warm, and what a pause costs", () => {
  const { nextRequest } = costOf(next);
  expect(nextRequest).toMatchObject({ inputTokens: 50_000, cachedTokens: 40_000, cache: "warm", coldAtMs: 301_000 });
  expect(nextRequest.warmUsd).toBeCloseTo((40_000 * 0.4 + 10_000 * 5) / 1e6, 12);
  expect(nextRequest.coldUsd).toBeCloseTo((50_000 * 5) / 1e6, 12);
  expect(nextRequest.pauseUsd).toBeCloseTo((40_000 * 4.6) / 1e6, 12);
  expect(costOf({ ...next, nowMs: 301_000 }).nextRequest.cache).toBe("cold");
});

test("only what is still its beginning is in the cache, and never more than there is", () => {
  expect(costOf({ ...next, keptTokens: 5_000 }).nextRequest.cachedTokens).toBe(5_000);
  expect(costOf({ ...next, sizeTokens: 9_000 }).nextRequest.cachedTokens).toBe(9_000);
});

test("an hour's lifetime is written at its own price", () => {
  const { nextRequest } = costOf({ ...next, lifetimeMs: 3_600_000 });
  expect(nextRequest.coldUsd).toBeCloseTo((50_000 * 8) / 1e6, 12);
});

test("a new session is neither warm nor cold, and without prices there is no price", () => {
  const { nextRequest } = costOf({ ...next, ledger: EMPTY_LEDGER, prices: undefined });
  expect(nextRequest).toEqual({ inputTokens: 50_000, cachedTokens: 0, cache: "new" });
});
