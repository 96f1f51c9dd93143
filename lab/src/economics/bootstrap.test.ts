import { expect, test } from "vitest";
import { draws, intervalOf } from "./bootstrap.ts";

const mean = (values: readonly number[]) => (sample: readonly number[]) =>
  sample.reduce((sum, index) => sum + values[index]!, 0) / sample.length;

test("the bounds are those of the mean, and the same every time", () => {
  const values = Array.from({ length: 100 }, (_, index) => index % 10);
  const [value, low, high] = intervalOf(100, draws(100, "seed"), mean(values));
  expect(value).toBe(4.5);
  // The mean of a hundred digits has a standard error of 0.287.
  expect(low).toBeCloseTo(4.5 - 1.96 * 0.287, 1);
  expect(high).toBeCloseTo(4.5 + 1.96 * 0.287, 1);
  expect(intervalOf(100, draws(100, "seed"), mean(values))).toEqual([value, low, high]);
});
