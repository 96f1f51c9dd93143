import { expect, test } from "vitest";
import { sampleFacts } from "./course-rules.ts";

test("nine facts at equal distances stand for many, and few stand for themselves", () => {
  const facts = Array.from({ length: 100 }, (_, index) => index);
  expect(sampleFacts(facts)).toEqual([0, 11, 22, 33, 44, 55, 66, 77, 88]);
  expect(sampleFacts(facts.slice(0, 5))).toEqual([0, 1, 2, 3, 4]);
  expect(sampleFacts([])).toEqual([]);
});
