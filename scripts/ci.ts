import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installed, runStep, runStepBeside } from "./run-step.ts";
import { removeWhenWeEnd } from "./when-we-end.ts";

/** `.ci/run` after installation: rings 1 and 2. Ends with the time of each step and one line that counts tests and steps together. */
interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

const startedAtMs = Date.now();
const scratch = mkdtempSync(join(tmpdir(), "palimpsest-ci-"));
removeWhenWeEnd(scratch);
process.env["PALIMPSEST_RUN_FOLDER"] = scratch;
process.env["NODE_COMPILE_CACHE"] = join(scratch, "compiled");
const reports = { unit: join(scratch, "unit.json"), system: join(scratch, "system.json") };
process.env["SYSTEM_REPORT"] = reports.system;

const steps: { readonly name: string; readonly result: "passed" | "failed"; readonly minutes: string }[] = [];
async function step(name: string, run: () => "passed" | "failed" | Promise<"passed" | "failed">): Promise<void> {
  const fromMs = Date.now();
  const result = await run();
  steps.push({ name, result, minutes: ((Date.now() - fromMs) / 60_000).toFixed(1) });
}

await step("npm run check", () => runStep("npm run check", process.execPath, ["scripts/check.ts"]));
const unit = ["run", "--project", "unit", "--reporter=dot", "--reporter=json", `--outputFile.json=${reports.unit}`];
await step("npm test", () => runStepBeside("npm test", installed("vitest"), unit, "passed-through"));
await step("npm run test:system", () => runStep("npm run test:system", process.execPath, ["scripts/test-system.ts"]));
await step("nothing under version control was changed", () =>
  runStep("git diff", "git", ["diff", "--exit-code", "--stat"]),
);

const tests = Object.values(reports)
  .filter((file) => existsSync(file))
  .flatMap((file) => (JSON.parse(readFileSync(file, "utf8")) as VitestReport).testResults)
  .flatMap(({ name, assertionResults }) => assertionResults.map((one) => ({ ...one, name })));
// A skipped test proves nothing, so it counts as failed.
const failedTests = tests.filter(({ status }) => status !== "passed");
console.log();
for (const { name, result, minutes } of steps) console.log(`${result}: ${minutes} min: ${name}`);
for (const { status, name, fullName } of failedTests) console.log(`${status}: ${name}: ${fullName}`);
const failedSteps = steps.filter(({ result }) => result === "failed").length;
const failed = failedSteps + failedTests.length;
console.log(`${((Date.now() - startedAtMs) / 60_000).toFixed(1)} minutes`);
console.log(`\n${steps.length - failedSteps + tests.length - failedTests.length} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
