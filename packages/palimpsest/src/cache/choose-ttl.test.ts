import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chooseTtl, LIFETIME_MS, type TtlQuestion } from "./choose-ttl.ts";
import { EMPTY_LEDGER, type Ledger, NO_TOTALS } from "./ledger.ts";
import { addToRhythm, type Rhythm } from "./rhythm.ts";

const MINUTE_MS = 60_000;

function rhythmOf(pauseMs: number, requests: number): Rhythm {
  let rhythm = addToRhythm(undefined, { atMs: 0, inputTokens: 0 });
  for (let request = 1; request <= requests; request++) {
    rhythm = addToRhythm(rhythm, { atMs: request * pauseMs, inputTokens: request * 1_350 });
  }
  return rhythm;
}

/** A session whose newest request was made at 0. */
function ledgerOf(ttl: "5m" | "1h", rhythm?: Rhythm): Ledger {
  const previous = {
    ...({ request: 3, at: 3, atMs: 0, configuration: 1, images: "none", responseId: "r" } as const),
    lifetimeMs: LIFETIME_MS[ttl],
    freshTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 50_000,
  };
  const main = { totals: NO_TOTALS, causes: {}, open: [], previous, ...(rhythm === undefined ? {} : { rhythm }) };
  return { ...EMPTY_LEDGER, sources: { main } };
}

const choose = (more: Partial<TtlQuestion>) =>
  chooseTtl({ wanted: "auto", ledger: EMPTY_LEDGER, sizeTokens: 100_000, prices: undefined, nowMs: 0, ...more });

describe("auto", () => {
  test("by what was recorded, an hour is worth it for a large prompt and not for a small one", () => {
    expect(choose({ sizeTokens: 4_000 })).toBe("5m");
    expect(choose({ sizeTokens: 31_000 })).toBe("1h");
  });

  test("by the session's own rhythm: minutes between requests ask for an hour, seconds do not", () => {
    const nowMs = 100 * 60 * MINUTE_MS;
    const slow = ledgerOf("5m", rhythmOf(10 * MINUTE_MS, 40));
    expect(choose({ ledger: slow, sizeTokens: 1_000, nowMs })).toBe("1h");
    expect(choose({ ledger: ledgerOf("1h", rhythmOf(10_000, 300)), nowMs })).toBe("5m");
    // Pauses that even an hour does not outlive are no reason to pay for one.
    expect(choose({ ledger: ledgerOf("1h", rhythmOf(100 * MINUTE_MS, 100)), nowMs })).toBe("5m");
  });

  test("the cheaper reads are, the sooner", () => {
    const prices = { input: 4, output: 20, cacheRead: 0.4, cacheWrite5m: 5, cacheWrite1h: 8 };
    const least = (cacheRead: number): number => {
      for (let sizeTokens = 100; ; sizeTokens += 100) {
        if (choose({ sizeTokens, prices: { ...prices, cacheRead } }) === "1h") return sizeTokens;
      }
    };
    expect(least(0.1)).toBeLessThan(least(0.4));
    expect(least(0.4)).toBeGreaterThan(6_000);
    expect(least(0.4)).toBeLessThan(12_000);
  });

  test("five minutes where nothing has a price", () => {
    const prices = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
    expect(choose({ prices })).toBe("5m");
  });

  test("never changes while the prompt is warm, whatever the rhythm says", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("5m" as const, "1h" as const),
        fc.integer({ min: 1, max: 200 * MINUTE_MS }),
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (ttl, pauseMs, sizeTokens, share) => {
          const nowMs = share * LIFETIME_MS[ttl];
          expect(choose({ ledger: ledgerOf(ttl, rhythmOf(pauseMs, 20)), sizeTokens, nowMs })).toBe(ttl);
        },
      ),
    );
  });

  test("may change behind a boundary, where the prompt is written anew", () => {
    const ledger = ledgerOf("5m");
    expect(choose({ ledger, nowMs: 1 })).toBe("5m");
    expect(choose({ ledger: { ...ledger, pending: [{ cause: "boundary", at: 4, from: 2 }] }, nowMs: 1 })).toBe("1h");
  });
});

test("what the settings say holds at once", () => {
  expect(choose({ wanted: "1h", ledger: ledgerOf("5m"), sizeTokens: 1 })).toBe("1h");
  expect(choose({ wanted: "5m", ledger: ledgerOf("1h") })).toBe("5m");
});
