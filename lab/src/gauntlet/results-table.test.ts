import { expect, test } from "vitest";
import { type KeptResult, resultsTable, windowsTable, withTable } from "./results-table.ts";

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

test("axes that were run one after the other stand in one row, if the version is the same", () => {
  const V = { kinds: 9, clean: 4, refused: 0, stuck: 0, not_clean: {} };
  const trial = { went_on: true, refused: 0, turns_not_done: 0, longest_turn_s: 1 };
  const kept = [
    { contestant: "a", size: "full", version: "1", V: { ...V, clean: 9 }, R: { one: trial, two: trial } },
    { contestant: "a", size: "full", version: "2", V },
    { contestant: "a", size: "full", version: "2", R: { one: trial } },
  ] as const;
  const [row] = resultsTable(kept, "full", ["a"]).split("\n").slice(2);
  expect(row).toMatch(/^\| a \| 4 of 9 \|.*\| 1 of 1 \|/);
});

test("the course in other windows has a table of its own, and none of its figures is in that of the size", () => {
  const shares = { in_view_pct: 30, uncollected_in_view_pct: 20, recallable_pct: 100, lost_pct: 0 };
  const F = { after_windows: { 1: { ...shares, in_view_pct: 90 }, 10: shares } } as unknown as KeptResult["F"];
  const of = (windowTokens: number): KeptResult => ({ contestant: "a", size: "full", windowTokens, F: F! });
  const kept = [of(100_000), of(24_000), of(48_000)];
  const rows = windowsTable(kept, ["a"]).split("\n").slice(2);
  expect(rows.map((row) => row.split(" | ").slice(0, 5))).toEqual([
    ["| a", "24,000", "30.0", "20.0", "0.0"],
    ["| a", "100,000", "30.0", "20.0", "0.0"],
  ]);
  expect(resultsTable(kept.slice(0, 2), "full", ["a"]).split("\n")).toHaveLength(2);
});

test("a page without a place for the table is refused", () => {
  expect(() => withTable("nothing", "full", "table")).toThrow("needs the lines");
});
