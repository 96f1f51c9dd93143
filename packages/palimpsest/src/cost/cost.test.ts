import { expect, test } from "vitest";
import { costOf, estimateUsage } from "./cost.ts";
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
const next = { ledger, sizeTokens: 50_000, coldSizeTokens: 50_000, lifetimeMs: 300_000, prices, nowMs: 2_000 };

test("adds up sources and causes", () => {
  expect(costOf(next)).toMatchObject({
    responses: 3,
    priceUsd: 4,
    gapUsd: 0.25,
    bySource: { main: { responses: 2 }, fork: { responses: 1 } },
    byCause: { pause: { breaks: 2, rebilledTokens: 20, gapUsd: 0.5 } },
  });
});

test("prices the next request with a warm and a cold cache, and the pause between them", () => {
  const { nextRequest } = costOf(next);
  expect(nextRequest).toMatchObject({ inputTokens: 50_000, cachedTokens: 40_000, cache: "warm", coldAtMs: 301_000 });
  expect(nextRequest.warmUsd).toBeCloseTo((40_000 * 0.4 + 10_000 * 5) / 1e6, 12);
  expect(nextRequest.coldUsd).toBeCloseTo((50_000 * 5) / 1e6, 12);
  expect(nextRequest.pauseUsd).toBeCloseTo((40_000 * 4.6) / 1e6, 12);
  expect(costOf({ ...next, nowMs: 301_000 }).nextRequest.cache).toBe("cold");
});

test("counts as cached only the unchanged start of the request, and no more than its size", () => {
  expect(costOf({ ...next, keptTokens: 5_000 }).nextRequest.cachedTokens).toBe(5_000);
  expect(costOf({ ...next, sizeTokens: 9_000 }).nextRequest.cachedTokens).toBe(9_000);
});

test("prices writes for an hour with their own price", () => {
  const { nextRequest } = costOf({ ...next, lifetimeMs: 3_600_000 });
  expect(nextRequest.coldUsd).toBeCloseTo((50_000 * 8) / 1e6, 12);
});

test("reports a new session as neither warm nor cold, and no price without known prices", () => {
  const { nextRequest } = costOf({ ...next, ledger: EMPTY_LEDGER, prices: undefined });
  expect(nextRequest).toEqual({ inputTokens: 50_000, cachedTokens: 0, cache: "new" });
});

const LIFETIME_MS = 300_000;

/** A ledger whose newest answered request was made at 0; request 5 waits. */
function ledgerOf(cacheReadTokens: number, cacheWriteTokens: number, keptTokens?: number): Ledger {
  const facts = { configuration: 1, images: "none", lifetimeMs: LIFETIME_MS } as const;
  const previous = { request: 3, at: 3, atMs: 0, responseId: "r", freshTokens: 0, ...facts };
  const cache = { ...facts, ...(keptTokens === undefined ? {} : { keptTokens }) };
  const main = {
    ...{ totals: NO_TOTALS, causes: {}, open: [{ request: 5, at: 5, atMs: 1, cache }] },
    previous: { ...previous, cacheReadTokens, cacheWriteTokens },
  };
  return { ...EMPTY_LEDGER, sources: { main } };
}

const estimate = (ledger: Ledger, nowMs = 1, inputTokens = 50_000): readonly number[] => {
  const about = { request: 5, source: "main", nowMs };
  const { cacheReadTokens, cacheWriteTokens, freshTokens } = estimateUsage(ledger, about, inputTokens);
  return [cacheReadTokens, cacheWriteTokens, freshTokens];
};

test.each<[string, readonly number[], read: number, written: number, fresh: number]>([
  [
    "reads the tokens that the previous request left, and writes the rest",
    estimate(ledgerOf(30_000, 10_000)),
    40_000,
    10_000,
    0,
  ],
  ["counts the rest as fresh if the service writes nothing", estimate(ledgerOf(30_000, 0)), 30_000, 0, 20_000],
  ["reads only the unchanged start of the request", estimate(ledgerOf(30_000, 10_000, 5_000)), 5_000, 45_000, 0],
  ["reads no more than was sent", estimate(ledgerOf(30_000, 10_000), 1, 20_000), 20_000, 0, 0],
  ["reads nothing from a cold cache", estimate(ledgerOf(30_000, 10_000), LIFETIME_MS), 0, 50_000, 0],
  ["reads nothing for the first request", estimate(EMPTY_LEDGER), 0, 0, 50_000],
])("%s", (_, estimated, ...expected) => {
  expect(estimated).toEqual(expected);
});

test("prices a cold request at the size that is left after old results were cleared", () => {
  const { nextRequest } = costOf({ ...next, coldSizeTokens: 20_000 });
  expect(nextRequest.coldUsd).toBeCloseTo((20_000 * 5) / 1e6, 12);
  expect(nextRequest.inputTokens).toBe(50_000);
});
