import fc from "fast-check";
import { expect, test } from "vitest";
import { addToRhythm, expectedRequest, type Rhythm } from "./rhythm.ts";

const MINUTE_MS = 60_000;

function rhythmOf(pausesMs: readonly number[], grownTokens = 1_000): Rhythm | undefined {
  let rhythm = addToRhythm(undefined, { atMs: 0, inputTokens: 30_000 });
  for (const pauseMs of pausesMs) {
    rhythm = addToRhythm(rhythm, { atMs: rhythm.atMs + pauseMs, inputTokens: rhythm.inputTokens + grownTokens });
  }
  return rhythm;
}

test("pauses are told apart by the two lifetimes, each of which is over when it is reached", () => {
  const pauses = [1, 5 * MINUTE_MS - 1, 5 * MINUTE_MS, 60 * MINUTE_MS - 1, 60 * MINUTE_MS];
  const { middlePauses, longPauses } = rhythmOf(pauses)!;
  expect([Math.round(middlePauses), Math.round(longPauses)]).toEqual([2, 1]);
});

test("the first request has no pause before it and has not grown", () => {
  const first = { requests: 0, grownTokens: 0, middlePauses: 0, longPauses: 0, atMs: 7, inputTokens: 30_000 };
  expect(addToRhythm(undefined, { atMs: 7, inputTokens: 30_000 })).toEqual(first);
});

test("a prompt that became smaller has not grown", () => {
  const before = addToRhythm(undefined, { atMs: 0, inputTokens: 100_000 });
  expect(addToRhythm(before, { atMs: 1, inputTokens: 40_000 }).grownTokens).toBe(0);
});

test("without a rhythm the recorded one is expected; a hundred requests outweigh it", () => {
  expect(expectedRequest(undefined).grownTokens).toBe(1_350);
  const busy = expectedRequest(rhythmOf(Array.from({ length: 300 }, () => MINUTE_MS)));
  expect(busy.middlePauses).toBeLessThan(expectedRequest(undefined).middlePauses / 2);
  const slow = expectedRequest(rhythmOf(Array.from({ length: 300 }, () => 10 * MINUTE_MS)));
  expect(slow.middlePauses).toBeGreaterThan(0.6);
});

test("it is of bounded size, however long the session is", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 10_000_000 }), { maxLength: 500 }), (pauses) => {
      const { requests, middlePauses, longPauses } = rhythmOf(pauses)!;
      expect(requests).toBeLessThanOrEqual(100);
      expect(middlePauses + longPauses).toBeLessThanOrEqual(requests + 1e-9);
    }),
    { numRuns: 50 },
  );
});
