import { expect, test } from "vitest";
import { type Fate, tallyBugs } from "./planted-tally.ts";

function fared(id: string, fate: Fate, series?: "second") {
  return { bug: { id, bug: "", edits: [], ...(series === undefined ? {} : { series }) }, fate };
}

test("caught, escaped and not judged are told apart, by series and by test", () => {
  const tally = tallyBugs([
    fared("A", { kind: "caught", by: "a.test.ts", test: "it" }),
    fared("B", { kind: "escaped", tests: 3 }, "second"),
    fared("C", { kind: "error", why: "no worker" }),
    fared("D", { kind: "caught", by: "a.test.ts", test: "too" }, "second"),
  ]);
  expect(tally).toEqual({
    planted: 4,
    caught: 2,
    escaped: ["B"],
    errors: { C: "no worker" },
    by_series: { first: { planted: 2, caught: 1 }, second: { planted: 2, caught: 1 } },
    caught_by: { "a.test.ts": ["A", "D"] },
  });
});
