import { expect, test } from "vitest";
import { growthMb, tenths } from "./growth.ts";

const line = (of: (turn: number) => number) =>
  Array.from({ length: 40 }, (_, index) => ({ turn: index * 5, usedMb: of(index * 5) }));

test("growth is that of a line through the samples, for 1,000 turns", () => {
  expect(growthMb(line((turn) => 20 + turn * 0.004))).toBeCloseTo(4);
  expect(growthMb(line(() => 20))).toBe(0);
});

test("a few moments with a full view are no growth", () => {
  expect(growthMb(line((turn) => (turn % 35 === 0 ? 26 : 20) + turn * 0.0005))).toBeCloseTo(0.5, 1);
});

test("tenths are the first and the last of all", () => {
  expect(tenths(Array.from({ length: 30 }, (_, index) => index))).toEqual({ first: [0, 1, 2], last: [27, 28, 29] });
});
