import { expect, test } from "vitest";
import type { UsedFact } from "./facts.ts";
import { factLines, factsToKeep, prose } from "./simulated-summary.ts";

const fact = (index: number): UsedFact => `name someLongName${index}`;

test("a summary names what came up most and last, as far as its facts have room", () => {
  const view = Array.from({ length: 400 }, (_, index) => [fact(index), fact(0)]);
  const kept = factsToKeep(view, 3_100);
  expect(kept.slice(0, 3)).toEqual([fact(0), fact(399), fact(398)]);
  expect(kept.length).toBeGreaterThan(100);
  expect(kept.length).toBeLessThan(250);
  expect(factLines(kept)).toContain("- someLongName399");
});

test("words that say nothing have the size that is asked for, and no facts", () => {
  expect(prose(1_234)).toHaveLength(1_234);
  expect(prose(-5)).toBe("");
});
