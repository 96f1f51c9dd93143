import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { addCovered, type Covered } from "./laws-covered.ts";
import { installed, runStepBeside } from "./run-step.ts";
import { removeWhenWeEnd } from "./when-we-end.ts";

/**
 * Holds the laws of test/laws for random sessions, with other seeds each round, until the time is up, and tells what happened in
 * them. A case that breaks a law is made smaller and kept as a file, which `--replay FILE` plays again.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    /** Only the files whose path has this text. */
    only: { type: "string", default: "test/laws" },
    replay: { type: "string" },
    json: { type: "boolean" },
  },
});
/** Not in the repository: a case may hold anything. */
const BROKEN_FOLDER = join(tmpdir(), "palimpsest-laws");

if (values.replay !== undefined) {
  process.env["PALIMPSEST_CASE"] = values.replay;
  process.exitCode = (await runLaws("one kept case")) === "passed" ? 0 : 1;
} else {
  process.exitCode = (await runRounds(Number(values.minutes))) === 0 ? 0 : 1;
}

function runLaws(name: string): Promise<"passed" | "failed"> {
  return runStepBeside(name, installed("vitest"), [
    "run",
    "--project=unit",
    "--project=system",
    values.only,
    "--reporter=dot",
  ]);
}

/** Resolves to how many cases were kept. */
async function runRounds(minutes: number): Promise<number> {
  if (!(minutes > 0)) throw new Error(`--minutes ${values.minutes}: give a number above 0`);
  const scratch = mkdtempSync(join(tmpdir(), "palimpsest-laws-run-"));
  removeWhenWeEnd(scratch);
  mkdirSync(BROKEN_FOLDER, { recursive: true });
  const file = join(scratch, "covered.jsonl");
  Object.assign(process.env, { PALIMPSEST_COVERED: file });
  const startedAtMs = Date.now();
  const seeds: number[] = [];
  let failed = 0;
  while (Date.now() - startedAtMs < minutes * 60_000) {
    const seed = Math.floor(Math.random() * 2 ** 31);
    seeds.push(seed);
    process.env["PALIMPSEST_SEED"] = String(seed);
    process.env["PALIMPSEST_BROKEN"] = join(BROKEN_FOLDER, String(seed));
    if ((await runLaws(`round ${seeds.length}, seed ${seed}`)) === "failed") failed++;
  }
  const covered = readCovered(file);
  const kept = readdirSync(BROKEN_FOLDER)
    .filter((name) => seeds.some((seed) => name.startsWith(`${seed}-`)))
    .map((name) => join(BROKEN_FOLDER, name));
  const cases = Object.values(covered).reduce((sum, { cases: some }) => sum + some, 0);
  const rounds = seeds.length;
  if (values.json) console.log(JSON.stringify({ rounds, failed, cases, laws: covered, kept, seeds }, undefined, 2));
  else {
    for (const [law, { cases: some, counts }] of Object.entries(covered))
      console.log(`${law}: ${some} cases ${JSON.stringify(counts)}`);
    console.log(`${rounds} rounds, ${failed} failed, ${cases} cases`);
    for (const path of kept) console.log(`A law is broken. To see it again: npm run laws -- --replay ${path}`);
  }
  return failed;
}

function readCovered(file: string): Covered {
  return existsSync(file) ? addCovered(readFileSync(file, "utf8").split("\n").filter(Boolean)) : {};
}
