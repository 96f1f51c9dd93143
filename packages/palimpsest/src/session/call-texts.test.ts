import { expect, test } from "vitest";
import { endingOf, notAllowed } from "./turn.ts";

test.each([
  ["begun", "unknown"],
  ["unlogged", "unknown"],
  ["asked", "not-run"],
  ["waiting", "not-run"],
  ["allowed", "not-run"],
] as const)("a call that is %s when its turn ends has an outcome that is %s", (step, expected) => {
  expect(endingOf({ step } as Parameters<typeof endingOf>[0])).toBe(expected);
});

test("a model is told why a call was not allowed", () => {
  expect(notAllowed("not in this folder")).toContain("not in this folder");
});
