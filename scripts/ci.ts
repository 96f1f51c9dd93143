import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NODE_ON_SOURCES, NPX, runStep, runStepBeside } from "./run-step.ts";

/** The gate, after installation. Ends with one plain line that counts tests and steps together. */
const scratch = mkdtempSync(join(tmpdir(), "palimpsest-ci-"));
const report = join(scratch, "vitest.json");
let passed = 0;
let failed = 0;
const count = (result: "passed" | "failed"): void => {
  if (result === "passed") passed++;
  else failed++;
};

// Attacks and kills wait more than they work, and the steps beside them use one processor mostly.
const chaos = runStepBeside("quick chaos", process.execPath, [
  ...[...NODE_ON_SOURCES, "--no-warnings", "bench/src/chaos/chaos.ts", "all", "--quick"],
]);
count(await runStepBeside("check", process.execPath, ["scripts/check.ts"]));
count(await runStepBeside("examples and snippets", process.execPath, ["scripts/run-examples.ts"]));
// What was built, as a user would import it, on the oldest Node that is supported.
const oldestNode = process.env["OLDEST_NODE"] ?? process.execPath;
for (const example of globSync("examples/[0-9]*.ts").sort()) {
  count(await runStepBeside(`built packages on ${oldestNode}: ${example}`, oldestNode, [example]));
}
count(await chaos);
count(runStep("tests", NPX, ["vitest", "run", "--reporter=dot", "--reporter=json", `--outputFile.json=${report}`]));
const tests = JSON.parse(readFileSync(report, "utf8")) as {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
};
passed += tests.numPassedTests;
failed += tests.numFailedTests;
// Alone: they measure times.
count(runStep("quick bench with floors", process.execPath, [...NODE_ON_SOURCES, "bench/src/main.ts", "floors"]));
count(runStep("nothing under version control was changed", "git", ["diff", "--exit-code", "--stat"]));
rmSync(scratch, { recursive: true });
console.log(`\n${passed} passed, ${failed} failed, ${tests.numPendingTests} skipped`);
process.exitCode = failed === 0 ? 0 : 1;
