import { expect, test } from "vitest";
import { planCourse } from "./plan-course.ts";

const turns = (seed: string, count: number) => {
  const course = planCourse(seed);
  return Array.from({ length: count }, () => course.next().value);
};

test("a course depends on its seed alone", () => {
  expect(turns("one", 5)).toEqual(turns("one", 5));
  expect(turns("one", 5)).not.toEqual(turns("two", 5));
});

test("every fact stands once in what its turn shows, and a third of them are of kinds that our evidence does not collect", () => {
  const all = turns("facts", 44);
  for (const { text, files, answer, facts } of all) {
    const shown = [text, answer, ...files.map(({ content }) => content)].join("\n");
    for (const { fact } of facts) expect(shown.split(fact.text)).toHaveLength(2);
  }
  const facts = all.flatMap((turn) => turn.facts);
  const uncollected = facts.filter(({ ledger }) => ledger === "does-not-collect");
  expect(uncollected.length / facts.length).toBeCloseTo(4 / 11);
  expect(new Set(uncollected.map(({ kind }) => kind))).toEqual(new Set(["person", "remark", "german", "cell"]));
  expect(new Set(facts.map(({ from }) => from))).toEqual(new Set(["file", "user", "model"]));
});
