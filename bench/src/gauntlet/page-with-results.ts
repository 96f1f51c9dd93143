import { readFileSync } from "node:fs";
import { CONTESTANTS } from "./contestants.ts";
import { type KeptResult, resultsTable, withTable } from "./results-table.ts";

export const PAGE: URL = new URL("../../../docs/gauntlet.md", import.meta.url);
/** Those that the page shows. */
const SIZES = ["full", "short"] as const;
const RESULTS = new URL("../../gauntlet/results.jsonl", import.meta.url);

/** docs/gauntlet.md with the figures that were kept. */
export function pageWithResults(): string {
  const lines = readFileSync(RESULTS, "utf8").split("\n").filter(Boolean);
  const kept = lines.map((line) => JSON.parse(line) as KeptResult);
  const names = CONTESTANTS.map(({ name }) => name);
  return SIZES.reduce(
    (page, size) => withTable(page, size, resultsTable(kept, size, names)),
    readFileSync(PAGE, "utf8"),
  );
}
