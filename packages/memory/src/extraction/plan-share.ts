import type { SessionCost } from "palimpsest";
import type { LedgerTotals } from "palimpsest/inspect";

/** Whether the next extraction keeps within its share of the session's bill. */
export type SharePlan = { readonly kind: "room" } | { readonly kind: "wait"; readonly expectedPercent: number };

type Bill = Pick<SessionCost, "priceUsd" | "unpricedResponses" | "bySource" | "nextRequest">;

/** An extraction also sends its prompt, and writes: in long sessions that is less than half of what it reads. */
const EXPECTED_TIMES = 1.5;

/** As services price tokens, for models without known prices. Fresh input counts once. */
const WEIGHTS = { cacheRead: 0.1, cacheWrite: 1.25, output: 5 } as const;

/**
 * Plans by the whole bill, with all other sources, and the price of the next request: an extraction reads the same prompt. It waits
 * until the session has cost enough, so that short sessions are not made dearer by what they may leave to remember.
 */
export function planShare(bill: Bill, source: string, mostPercent: number): SharePlan {
  if (mostPercent >= 100) return { kind: "room" };
  const { warmUsd } = bill.nextRequest;
  const costs =
    bill.unpricedResponses === 0 && warmUsd !== undefined ? pricedCosts(bill, warmUsd) : weightedCosts(bill);
  const own = bill.bySource[source];
  const spent = own === undefined ? 0 : costs.of(own);
  const perResponse = own === undefined || own.responses === 0 ? 0 : spent / own.responses;
  const expected = Math.max(costs.next * EXPECTED_TIMES, perResponse);
  const all = costs.all + expected;
  const expectedPercent = all === 0 ? 0 : (100 * (spent + expected)) / all;
  return expectedPercent <= mostPercent ? { kind: "room" } : { kind: "wait", expectedPercent };
}

interface Costs {
  readonly all: number;
  readonly next: number;
  of(totals: LedgerTotals): number;
}

function pricedCosts({ priceUsd }: Bill, next: number): Costs {
  return { all: priceUsd, next, of: (totals) => totals.priceUsd };
}

function weightedCosts({ bySource, nextRequest: { inputTokens, cachedTokens } }: Bill): Costs {
  const of = (totals: LedgerTotals): number =>
    totals.freshTokens +
    totals.cacheReadTokens * WEIGHTS.cacheRead +
    totals.cacheWriteTokens * WEIGHTS.cacheWrite +
    totals.outputTokens * WEIGHTS.output;
  return {
    all: Object.values(bySource).reduce((sum, totals) => sum + of(totals), 0),
    next: cachedTokens * WEIGHTS.cacheRead + (inputTokens - cachedTokens) * WEIGHTS.cacheWrite,
    of,
  };
}
