import fc from "fast-check";
import { expect, test } from "vitest";
import { addRange, decayed, thousandths } from "./state.ts";

test("a weight halves in sixty rounds", () => {
  expect(decayed({ weight: 4, round: 10 }, 70)).toBe(2);
  expect(decayed(undefined, 70)).toBe(0);
});

test("a weight is stored with three digits, as it is if it has no more", () => {
  expect([1 / 3, 2 / 3, 4, 0.001, 0.000_4, 12.345].map(thousandths)).toEqual([0.333, 0.667, 4, 0.001, 0, 12.345]);
});

test("ranges that touch become one, the newest is last, and there are few", () => {
  expect(
    addRange(
      [
        [1, 10],
        [100, 120],
      ],
      [15, 30],
    ),
  ).toEqual([
    [100, 120],
    [1, 30],
  ]);
  const anyRange = fc
    .tuple(fc.integer({ min: 1, max: 2_000 }), fc.nat(100))
    .map(([first, more]) => [first, first + more] as const);
  fc.assert(
    fc.property(fc.array(anyRange, { minLength: 1 }), (ranges) => {
      const [newest] = ranges.slice(-1);
      const kept = ranges.reduce<readonly (readonly [number, number])[]>((all, range) => addRange(all, range), []);
      expect(kept.length).toBeLessThanOrEqual(8);
      expect(kept.at(-1)![0]).toBeLessThanOrEqual(newest![0]);
      expect(kept.at(-1)![1]).toBeGreaterThanOrEqual(newest![1]);
      const sorted = kept.toSorted(([one], [other]) => one - other);
      for (const [index, [first]] of sorted.entries())
        if (index > 0) expect(first).toBeGreaterThan(sorted[index - 1]![1]);
    }),
  );
});
