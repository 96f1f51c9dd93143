import { expect, test } from "vitest";
import { crossValidate } from "./cross-validate.ts";
import type { SessionResult } from "./session-results.ts";
import type { SessionReport } from "./to-figures.ts";

const QUESTION = { candidates: ["bold", "shy"], baseline: "all", floor: "all", marginPoints: 1 };

function result(price: number, met: number): SessionResult {
  const rest = { refetches: 0, compactions: 0, cleared: 0, readTokens: 0, inputTokens: 0 };
  return { price, needs: 100, met, ...rest, conversationTokens: 0, requests: 1 };
}

function report(repository: string, bold: SessionResult, shy: SessionResult): SessionReport {
  const results = { "200K/0.1/5m": { all: result(10, 90), bold, shy } };
  return { name: `${repository}/1`, repository, rounds: 1, results };
}

test("a repository has no say in what it is scored with", () => {
  // Only in the third does the bold one fall below the floor: without it, the others speak for the bold one.
  const reports = [
    report("one", result(5, 95), result(8, 95)),
    report("two", result(5, 95), result(8, 95)),
    report("three", result(5, 70), result(8, 95)),
  ];
  const { chosen, held_out, choice_of_all } = crossValidate(reports, QUESTION);
  expect(chosen).toEqual({ one: "shy", two: "shy", three: "bold" });
  expect(held_out["200K/0.1/5m"]).toEqual({
    cost_ratio: (8 + 8 + 5) / 30,
    needs_met_pct: (95 + 95 + 70) / 3,
    floor_needs_met_pct: 90,
  });
  expect(choice_of_all).toBe("shy");
});

test("what is just above the floor is not enough", () => {
  const reports = ["one", "two"].map((name) => report(name, result(5, 90.5), result(8, 91)));
  expect(crossValidate(reports, QUESTION).choice_of_all).toBe("shy");
});

test("where none reaches the floor, the nearest is taken, whatever it costs", () => {
  const reports = ["one", "two"].map((name) => report(name, result(5, 80), result(8, 85)));
  expect(crossValidate(reports, QUESTION).choice_of_all).toBe("shy");
});
