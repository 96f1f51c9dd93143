import { expect, test } from "vitest";
import { mutationScore, survivingKinds, wilsonInterval } from "./mutation-score.ts";

test("the interval is Wilson's: known values", () => {
  const { low, high } = wilsonInterval(85, 100);
  expect(low).toBeCloseTo(0.7672, 4);
  expect(high).toBeCloseTo(0.9069, 4);
  expect(wilsonInterval(100, 100)).toEqual({ low: expect.closeTo(0.963, 3), high: 1 });
  expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
});

test("mistakes with which nothing could be loaded count for neither side", () => {
  const score = mutationScore(["killed", "killed", "killed", "survived", "invalid"]);
  expect(score).toMatchObject({ mutants: 5, killed: 3, survived: 1, score_pct: 75 });
});

test("what the compiler notices counts as noticed, and is told apart", () => {
  const score = mutationScore(["killed", "killed", "killed", "wrong-type", "survived"]);
  expect(score).toMatchObject({ wrong_type: 1, score_pct: 80, tests_only_pct: 75 });
});

test("kinds that survive, most first", () => {
  const kinds = survivingKinds([
    { kind: "number", fate: "survived" },
    { kind: "string", fate: "survived" },
    { kind: "string", fate: "survived" },
    { kind: "logical", fate: "killed" },
  ]);
  expect(Object.entries(kinds)).toEqual([
    ["string", 2],
    ["number", 1],
  ]);
});
