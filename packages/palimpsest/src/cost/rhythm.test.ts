import fc from "fast-check";
import { expect, test } from "vitest";
import { addToRhythm, type Rhythm } from "./ledger.ts";

const MINUTE_MS = 60_000;

function rhythmOf(pausesMs: readonly number[]): Rhythm {
  let rhythm = addToRhythm(undefined, 0);
  for (const pauseMs of pausesMs) rhythm = addToRhythm(rhythm, rhythm.atMs + pauseMs);
  return rhythm;
}

test("pauses are told apart by the two lifetimes, each of which is over when it is reached", () => {
  const pauses = [1, 5 * MINUTE_MS - 1, 5 * MINUTE_MS, 60 * MINUTE_MS - 1, 60 * MINUTE_MS];
  const { middlePauses, longPauses } = rhythmOf(pauses);
  expect([Math.round(middlePauses), Math.round(longPauses)]).toEqual([2, 1]);
});

test("the first request has no pause before it", () => {
  expect(addToRhythm(undefined, 7)).toEqual({ middlePauses: 0, longPauses: 0, atMs: 7 });
});

test("a pause counts less with each request after it", () => {
  const quick = Array.from({ length: 300 }, () => MINUTE_MS);
  expect(rhythmOf([10 * MINUTE_MS, ...quick]).middlePauses).toBeLessThan(0.1);
  expect(rhythmOf([90 * MINUTE_MS, ...quick]).longPauses).toBeLessThan(0.1);
});

test("it is of bounded size, however long the session is", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 10_000_000 }), { maxLength: 500 }), (pauses) => {
      const { middlePauses, longPauses } = rhythmOf(pauses);
      expect(middlePauses + longPauses).toBeLessThanOrEqual(Math.min(100, pauses.length) + 1e-9);
    }),
    { numRuns: 50 },
  );
});
