import { expect, test } from "vitest";
import { findDecisions, findRules, isCorrection } from "./find.ts";

test.each([
  ["Please add a button. Don't touch the footer. Thanks!", ["Don't touch the footer."]],
  ["Use tabs instead of spaces\nand go on", ["Use tabs instead of spaces"]],
  ["Let's go with SQLite. It is nice.", ["Let's go with SQLite."]],
  ["Add a test", []],
  ["ok", []],
])("in %j", (text, rules) => {
  expect(findRules(text)).toEqual(rules);
});

test("a model's decisions are told from its plans", () => {
  expect(findDecisions("I'll look at it. I went with a queue rather than polling. Next: tests.")).toEqual([
    "I went with a queue rather than polling.",
  ]);
  expect(findDecisions("I'll use grep to find it. Now the tests.")).toEqual([]);
});

test("a pasted plan gives a bounded number of bounded sentences", () => {
  const rules = findRules(`You must never ${"x".repeat(600)}.\n`.repeat(500));
  expect(rules.length).toBeLessThanOrEqual(12);
  for (const rule of rules) expect(rule.length).toBeLessThanOrEqual(280);
});

test("corrections are told from requests", () => {
  for (const text of ["No, the other one", "that's wrong", "Wait, stop", "please revert this"])
    expect(isCorrection(text)).toBe(true);
  for (const text of ["Now add a test", "Continue", "notes are in docs"]) expect(isCorrection(text)).toBe(false);
});
