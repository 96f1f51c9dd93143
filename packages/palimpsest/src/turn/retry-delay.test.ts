import fc from "fast-check";
import { expect, test } from "vitest";
import { retryDelayMs } from "./send.ts";

const most = { random: 1, waitedMs: 0 };

test("doubles the waits up to the maximum", () => {
  const delays = [1, 2, 3, 4, 7, 9].map((tries) => retryDelayMs({ ...most, tries }, { maxAttempts: 10 }));
  expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 60_000, 60_000]);
});

test("waits as long as the server requests, even above the maximum", () => {
  expect(retryDelayMs({ ...most, random: 0, tries: 1, retryAfterMs: 90_000 })).toBe(90_000);
});

test("keeps attempts and waits within their limits, and never shortens a requested wait", () => {
  const failure = fc.record({
    random: fc.double({ min: 0, max: 1, noNaN: true }),
    retryAfterMs: fc.option(fc.nat(400_000), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(failure, { minLength: 20, maxLength: 20 }), (failures) => {
      let waitedMs = 0;
      for (const [index, { random, retryAfterMs }] of failures.entries()) {
        const delayMs = retryDelayMs({ tries: index + 1, waitedMs, random, retryAfterMs });
        if (delayMs === undefined) break;
        expect(index + 1).toBeLessThan(5);
        expect(delayMs).toBeGreaterThanOrEqual(retryAfterMs ?? 0);
        waitedMs += delayMs;
      }
      expect(waitedMs).toBeLessThanOrEqual(300_000);
    }),
  );
});
