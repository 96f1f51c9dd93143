import { describe, expect, test } from "vitest";
import { chooseHeadTtl, type HeadTtlQuestion } from "./cost.ts";
import { addToRhythm, EMPTY_LEDGER, type Ledger, LIFETIME_MS, NO_TOTALS, type Rhythm } from "./ledger.ts";

const MINUTE_MS = 60_000;

/** A session with requests after the given pauses; the newest was made at 0. */
function ledgerOf(pausesMinutes: readonly number[], headTtl?: "1h"): Ledger {
  let rhythm: Rhythm | undefined;
  let atMs = -pausesMinutes.reduce((sum, minutes) => sum + minutes, 0) * MINUTE_MS;
  for (const minutes of [0, ...pausesMinutes]) {
    atMs += minutes * MINUTE_MS;
    rhythm = addToRhythm(rhythm, atMs);
  }
  const previous = {
    ...({ request: 3, at: 3, atMs: 0, configuration: 1, images: "none", responseId: "r" } as const),
    ...{ lifetimeMs: LIFETIME_MS["5m"], freshTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 50_000 },
    ...(headTtl === undefined ? {} : { headLifetimeMs: LIFETIME_MS[headTtl] }),
  };
  return { ...EMPTY_LEDGER, sources: { main: { totals: NO_TOTALS, causes: {}, open: [], previous, rhythm: rhythm! } } };
}

const choose = (more: Partial<HeadTtlQuestion>) =>
  chooseHeadTtl({ wanted: "auto", ledger: EMPTY_LEDGER, prices: undefined, nowMs: 0, ...more });

describe("auto", () => {
  test("starts with five minutes, and keeps them without pauses", () => {
    expect(choose({})).toBe("5m");
    expect(choose({ ledger: ledgerOf([1, 2, 1, 3]), nowMs: 2 * MINUTE_MS })).toBe("5m");
  });

  test("chooses an hour after the first pause that an hour would have covered", () => {
    expect(choose({ ledger: ledgerOf([1]), nowMs: 6 * MINUTE_MS })).toBe("1h");
  });

  test("counts a pause of exactly five minutes, even in a session without a rhythm", () => {
    expect(choose({ ledger: ledgerOf([1]), nowMs: 5 * MINUTE_MS })).toBe("1h");
    const { main } = ledgerOf([]).sources;
    const { rhythm: _, ...unknown } = main!;
    const ledger = { ...EMPTY_LEDGER, sources: { main: unknown } };
    expect(choose({ ledger, nowMs: 6 * MINUTE_MS })).toBe("1h");
    // An hour that costs more than one pause would have saved is not taken.
    const prices = { input: 4, output: 20, cacheRead: 0.4, cacheWrite5m: 5, cacheWrite1h: 12 };
    expect(choose({ ledger, prices, nowMs: 6 * MINUTE_MS })).toBe("5m");
  });

  test("does not choose an hour on account of pauses of an hour or more", () => {
    expect(choose({ ledger: ledgerOf([1]), nowMs: 59 * MINUTE_MS })).toBe("1h");
    for (const minutes of [60, 90]) expect(choose({ ledger: ledgerOf([1]), nowMs: minutes * MINUTE_MS })).toBe("5m");
    expect(choose({ ledger: ledgerOf([10, 120, 120]), nowMs: 90 * MINUTE_MS })).toBe("5m");
    expect(choose({ ledger: ledgerOf([10, 10, 10, 10]), nowMs: 90 * MINUTE_MS })).toBe("1h");
  });

  test("counts the current pause once", () => {
    const nowMs = 90 * MINUTE_MS;
    expect(choose({ ledger: ledgerOf([10]), nowMs })).toBe("5m");
    expect(choose({ ledger: ledgerOf([10, 10, 1, 1, 1, 1, 1]), nowMs })).toBe("1h");
  });

  test("keeps the lifetime while the system prompt is in the cache", () => {
    expect(choose({ ledger: ledgerOf([10, 10, 10]), nowMs: MINUTE_MS })).toBe("5m");
    expect(choose({ ledger: ledgerOf([120, 120], "1h"), nowMs: 59 * MINUTE_MS })).toBe("1h");
  });
});

test("applies a fixed setting at once", () => {
  expect(choose({ wanted: "1h" })).toBe("1h");
  expect(choose({ wanted: "same", ledger: ledgerOf([10, 10], "1h"), nowMs: MINUTE_MS })).toBe("5m");
});
