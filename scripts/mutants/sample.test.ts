import { expect, test } from "vitest";
import { sample } from "./sample.ts";

const HUNDRED = Array.from({ length: 100 }, (_, index) => index);

test("the same seed chooses the same ones, another seed others, each once and in order", () => {
  const chosen = sample(HUNDRED, 20, 7);
  expect(chosen).toHaveLength(20);
  expect(chosen).toEqual(sample(HUNDRED, 20, 7));
  expect(chosen).not.toEqual(sample(HUNDRED, 20, 8));
  expect(chosen).toEqual([...new Set(chosen)].sort((one, other) => one - other));
});

test("each is as likely as any other", () => {
  const times = HUNDRED.map(() => 0);
  for (let seed = 0; seed < 2_000; seed++) for (const one of sample(HUNDRED, 10, seed)) times[one]!++;
  expect(Math.min(...times)).toBeGreaterThan(120);
  expect(Math.max(...times)).toBeLessThan(280);
});

test("of too few all are taken", () => {
  expect(sample([1, 2, 3], 10, 1)).toEqual([1, 2, 3]);
});
