import { expect, test } from "vitest";
import { estimateUsage } from "./cost.ts";
import { EMPTY_LEDGER, type Ledger, NO_TOTALS } from "./ledger.ts";

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
  ["what the request before left is read, and the rest written", estimate(ledgerOf(30_000, 10_000)), 40_000, 10_000, 0],
  ["where nothing is written, the rest is fresh", estimate(ledgerOf(30_000, 0)), 30_000, 0, 20_000],
  ["only what the request still begins with is read", estimate(ledgerOf(30_000, 10_000, 5_000)), 5_000, 45_000, 0],
  ["never more than was sent", estimate(ledgerOf(30_000, 10_000), 1, 20_000), 20_000, 0, 0],
  ["nothing once the cache is cold", estimate(ledgerOf(30_000, 10_000), LIFETIME_MS), 0, 50_000, 0],
  ["the first request has nothing to read", estimate(EMPTY_LEDGER), 0, 0, 50_000],
])("%s", (_, estimated, ...expected) => {
  expect(estimated).toEqual(expected);
});
