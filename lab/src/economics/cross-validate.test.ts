import { expect, test } from "vitest";
import { crossValidate } from "./cross-validate.ts";
import type { SessionReport } from "./read-reports.ts";
import { sampleScore } from "./testing/sample-score.ts";

const QUESTION = { candidates: ["bold", "shy"], baseline: "all", floor: "all", marginPoints: 1 };
const score = (price: number, strict: number) => sampleScore({ price, strict });

function report(repository: string, bold: ReturnType<typeof score>, shy: ReturnType<typeof score>): SessionReport {
  const scores = { "200K/0.1/5m": { all: score(10, 90), bold, shy } };
  return {
    name: `${repository}/1`,
    repository,
    agent: "pi",
    rounds: 1,
    userMessages: 1,
    together: { readRounds: 5, savedRounds: 2 },
    scores,
  };
}

test("a repository has no say in what it is scored with", () => {
  // Only in the third does the bold one fall below the floor: without it, the others speak for the bold one.
  const reports = [
    report("one", score(5, 95), score(8, 95)),
    report("two", score(5, 95), score(8, 95)),
    report("three", score(5, 70), score(8, 95)),
  ];
  const { chosen, held_out, choice_of_all } = crossValidate(reports, QUESTION);
  expect(chosen).toEqual({ one: "shy", two: "shy", three: "bold" });
  expect(held_out["200K/0.1/5m"]).toEqual({
    cost_ratio: (8 + 8 + 5) / 30,
    needs_strict_pct: (95 + 95 + 70) / 3,
    floor_strict_pct: 90,
  });
  expect(choice_of_all).toBe("shy");
});

test("what is just above the floor is not enough", () => {
  const reports = ["one", "two"].map((name) => report(name, score(5, 90.5), score(8, 91)));
  expect(crossValidate(reports, QUESTION).choice_of_all).toBe("shy");
});

test("where none reaches the floor, the nearest is taken, whatever it costs", () => {
  const reports = ["one", "two"].map((name) => report(name, score(5, 80), score(8, 85)));
  expect(crossValidate(reports, QUESTION).choice_of_all).toBe("shy");
});
