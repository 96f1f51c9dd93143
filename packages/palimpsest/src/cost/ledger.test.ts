import fc from "fast-check";
import { expect, test } from "vitest";
import { addToRhythm, type Rhythm } from "./ledger.ts";

const MINUTE_MS = 60_000;

function rhythmOf(pausesMs: readonly number[]): Rhythm {
  let rhythm = addToRhythm(undefined, 0);
  for (const pauseMs of pausesMs) rhythm = addToRhythm(rhythm, rhythm.atMs + pauseMs);
  return rhythm;
}

test("separates pauses by the two lifetimes, which end exactly when they are reached", () => {
  const pauses = [1, 5 * MINUTE_MS - 1, 5 * MINUTE_MS, 60 * MINUTE_MS - 1, 60 * MINUTE_MS];
  const { middlePauses, longPauses } = rhythmOf(pauses);
  expect([Math.round(middlePauses), Math.round(longPauses)]).toEqual([2, 1]);
});

test("counts no pause before the first request", () => {
  expect(addToRhythm(undefined, 7)).toEqual({ middlePauses: 0, longPauses: 0, atMs: 7 });
});

test("reduces the weight of a pause with each later request", () => {
  const quick = Array.from({ length: 300 }, () => MINUTE_MS);
  expect(rhythmOf([10 * MINUTE_MS, ...quick]).middlePauses).toBeLessThan(0.1);
  expect(rhythmOf([90 * MINUTE_MS, ...quick]).longPauses).toBeLessThan(0.1);
});

test("keeps a bounded size in a long session", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 10_000_000 }), { maxLength: 500 }), (pauses) => {
      const { middlePauses, longPauses } = rhythmOf(pauses);
      expect(middlePauses + longPauses).toBeLessThanOrEqual(Math.min(100, pauses.length) + 1e-9);
    }),
    { numRuns: 50 },
  );
});
