import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PAGE, pageWithResults } from "./page-with-results.ts";
import { resultsTable, withTable } from "./results-table.ts";

test("the page has the figures that were kept: npm run gauntlet-page writes them", () => {
  expect(readFileSync(PAGE, "utf8")).toBe(pageWithResults());
});

test("of each contestant the newest figures of the size count, in the order of contestants", () => {
  const V = { kinds: 9, clean: 4, refused: 0, stuck: 0, not_clean: {} };
  const kept = [
    { contestant: "b", size: "short", V },
    { contestant: "a", size: "short", V },
    { contestant: "a", size: "short", V: { ...V, clean: 5 } },
    { contestant: "a", size: "quick", V: { ...V, clean: 6 } },
  ] as const;
  const rows = resultsTable(kept, "short", ["a", "none", "b"]).split("\n").slice(2);
  expect(rows.map((row) => row.split(" | ").slice(0, 2))).toEqual([
    ["| a", "5 of 9"],
    ["| b", "4 of 9"],
  ]);
});

test("a page without a place for the table is refused", () => {
  expect(() => withTable("nothing", "table")).toThrow("needs the lines");
});
