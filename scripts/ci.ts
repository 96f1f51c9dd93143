import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countTests, type VitestReport } from "./count-tests.ts";
import { NODE_ON_SOURCES, NPX, runStep, runStepBeside } from "./run-step.ts";

/** The gate, after installation. Ends with one plain line that counts tests and steps together. */
const scratch = mkdtempSync(join(tmpdir(), "palimpsest-ci-"));
const report = join(scratch, "vitest.json");
let passed = 0;
const failedSteps: string[] = [];
const count = (name: string, result: "passed" | "failed"): void => {
  if (result === "passed") passed++;
  else failedSteps.push(name);
};
const alone = (name: string, command: string, args: readonly string[]): void =>
  count(name, runStep(name, command, args));
const beside = async (name: string, command: string, args: readonly string[]): Promise<void> =>
  count(name, await runStepBeside(name, command, args));

// Hundreds of programs are started from their sources: each is compiled once.
process.env["NODE_COMPILE_CACHE"] = join(scratch, "compiled");
// Attacks and kills wait more than they work, and the steps beside them use one processor mostly.
const quickChaos = ["bench/src/chaos/chaos.ts", "all", "--quick", "--require-all"];
const chaos = beside("quick chaos", process.execPath, [...NODE_ON_SOURCES, "--no-warnings", ...quickChaos]);
// Examples run on the sources, so they need not wait for the build of the check.
const examples = beside("examples and snippets", process.execPath, ["scripts/run-examples.ts"]);
await beside("check", process.execPath, ["scripts/check.ts"]);
await examples;
// What was built, as a user would import it, on the oldest Node that is supported.
const oldestNode = process.env["OLDEST_NODE"] ?? process.execPath;
for (const example of globSync("examples/[0-9]*.ts").sort()) {
  await beside(`built packages on ${oldestNode}: ${example}`, oldestNode, [example]);
}
const floors = [...NODE_ON_SOURCES, "bench/src/main.ts", "floors"];
// What counts is the same on a busy machine: it takes the time in which tests wait for programs.
const counts = beside("floors of quick benches: counts", process.execPath, [...floors, "counts"]);
// Random cases are the same for the same sources, here and on any other machine; a change of the sources brings new ones.
process.env["PALIMPSEST_SEED"] = String(seedOf("packages", "apps", "bench", "test"));
const vitest = ["vitest", "run", "--reporter=dot", "--reporter=json", `--outputFile.json=${report}`];
count("tests", await runStepBeside("tests", NPX, vitest, "passed-through"));
await Promise.all([chaos, counts]);
const tests = countTests(JSON.parse(readFileSync(report, "utf8")) as VitestReport);
// Alone, and with no other cache than a user has: they measure.
delete process.env["NODE_COMPILE_CACHE"];
alone("floors of quick benches: times and memory", process.execPath, [...floors, "times"]);
alone("nothing under version control was changed", "git", ["diff", "--exit-code", "--stat"]);
rmSync(scratch, { recursive: true });
// Named once more: the end of a long log is what is read first.
for (const name of failedSteps) console.log(`failed: ${name}`);
// A test that is passed over proves nothing: the gate brings what its tests need, so a skipped one has failed.
for (const name of tests.skipped) console.log(`skipped, which counts as failed: ${name}`);
const failed = failedSteps.length + tests.failed + tests.skipped.length;
console.log(`\n${passed + tests.passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function seedOf(...folders: readonly string[]): number {
  const trees = execFileSync("git", ["rev-parse", ...folders.map((folder) => `HEAD:${folder}`)]);
  return createHash("sha256").update(trees).digest().readInt32BE();
}
