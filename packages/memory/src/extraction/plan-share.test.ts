import type { LedgerTotals } from "palimpsest/inspect";
import { expect, test } from "vitest";
import { planShare } from "./plan-share.ts";

const totals = (priceUsd: number, changed: Partial<LedgerTotals> = {}): LedgerTotals => ({
  responses: 1,
  freshTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  priceUsd,
  perfectPriceUsd: priceUsd,
  forksMissedUsd: 0,
  unpricedResponses: 0,
  ...changed,
});

const next = { inputTokens: 50_000, cachedTokens: 48_000, cache: "warm" } as const;

function bill(main: LedgerTotals, own?: LedgerTotals, warmUsd?: number) {
  return {
    priceUsd: main.priceUsd + (own?.priceUsd ?? 0),
    unpricedResponses: main.unpricedResponses,
    bySource: { main, ...(own === undefined ? {} : { own }) },
    nextRequest: { ...next, ...(warmUsd === undefined ? {} : { warmUsd }) },
  };
}

test("it waits until the session has cost enough, and again after each extraction", () => {
  expect(planShare(bill(totals(0.3), undefined, 0.02), "own", 3)).toMatchObject({ kind: "wait" });
  expect(planShare(bill(totals(1), undefined, 0.02), "own", 3)).toEqual({ kind: "room" });
  expect(planShare(bill(totals(1), totals(0.03), 0.02), "own", 3)).toMatchObject({ kind: "wait" });
  expect(planShare(bill(totals(2), totals(0.03), 0.02), "own", 3)).toEqual({ kind: "room" });
});

test("earlier extractions that were dear let the next one wait longer", () => {
  expect(planShare(bill(totals(3), totals(0.06), 0.01), "own", 3)).toMatchObject({ kind: "wait" });
  expect(planShare(bill(totals(3), totals(0.06, { responses: 6 }), 0.01), "own", 3)).toEqual({ kind: "room" });
});

test("without known prices, tokens are weighed as services price them", () => {
  const main = (cacheReadTokens: number) => totals(0, { unpricedResponses: 12, cacheReadTokens, outputTokens: 20_000 });
  expect(planShare(bill(main(500_000)), "own", 3)).toMatchObject({ kind: "wait" });
  expect(planShare(bill(main(4_000_000)), "own", 3)).toEqual({ kind: "room" });
});

test("100% is no limit, and 0% none at all", () => {
  expect(planShare(bill(totals(0), undefined, 0), "own", 0)).toEqual({ kind: "room" });
  expect(planShare(bill(totals(0), undefined, 0.02), "own", 100)).toEqual({ kind: "room" });
  expect(planShare(bill(totals(9), undefined, 0.02), "own", 0)).toMatchObject({ kind: "wait" });
});
