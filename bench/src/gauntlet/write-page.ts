import { writeFileSync } from "node:fs";
import { PAGE, pageWithResults } from "./page-with-results.ts";

/** Writes the figures of bench/gauntlet/results.jsonl into docs/gauntlet.md. */
writeFileSync(PAGE, pageWithResults());
