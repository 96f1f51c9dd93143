import { readFileSync } from "node:fs";
import { CONTESTANTS } from "./contestants.ts";
import { type KeptResult, resultsTable, windowsTable, withTable } from "./results-table.ts";

const PAGE = "docs/gauntlet.md";
/** The sizes that the page shows. */
const SIZES = ["full", "short"] as const;
const RESULTS = new URL("../../gauntlet/results.jsonl", import.meta.url);

/** docs/gauntlet.md with the results of lab/gauntlet/results.jsonl, which `gauntlet --keep` adds to. */
export function gauntletPage(): Readonly<Record<string, string>> {
  const lines = readFileSync(RESULTS, "utf8").split("\n").filter(Boolean);
  const kept = lines.map((line) => JSON.parse(line) as KeptResult);
  const names = CONTESTANTS.map(({ name }) => name);
  const page = SIZES.reduce(
    (text, size) => withTable(text, `size ${size}`, resultsTable(kept, size, names)),
    readFileSync(PAGE, "utf8"),
  );
  return { [PAGE]: withTable(page, "other windows", windowsTable(kept, names)) };
}
