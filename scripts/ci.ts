import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processorSeconds } from "../bench/src/processor-seconds.ts";
import { countTests, filesToRunAgain, type TestCounts, type VitestReport } from "./count-tests.ts";
import { installed, NODE_ON_SOURCES, runStepBeside } from "./run-step.ts";
import { removeWhenWeEnd } from "./when-we-end.ts";

/** The gate, after installation. Ends with the time of each step, and one plain line that counts tests and steps together. */
const startedAtMs = Date.now();
const scratch = mkdtempSync(join(tmpdir(), "palimpsest-ci-"));
removeWhenWeEnd(scratch);
const report = join(scratch, "vitest.json");
const steps: { readonly name: string; readonly result: "passed" | "failed"; readonly took: string }[] = [];
const minutes = (): string => ((Date.now() - startedAtMs) / 60_000).toFixed(1);
/** What has been counted: at first the installation, from which this process was made. */
let countedSeconds = processorSeconds();

/** Several go on beside each other: on two processors that is what the time of the gate depends on. */
async function step(
  name: string,
  command: string,
  args: readonly string[],
  shown: "at-the-end" | "passed-through" = "at-the-end",
): Promise<void> {
  const from = minutes();
  const result = await runStepBeside(name, command, args, shown);
  // Linux counts what a step has used when it has ended: what has come since the last of them is of this one.
  const usedSeconds = processorSeconds() - countedSeconds;
  countedSeconds += usedSeconds;
  const used = `${(usedSeconds / 60).toFixed(1).padStart(4)} of the processors`;
  steps.push({ name, result, took: `${from.padStart(4)} to ${minutes().padStart(4)} min, ${used}` });
}
const node = (name: string, ...args: readonly string[]): Promise<void> => step(name, process.execPath, args);

// Hundreds of programs are started from their sources: each is compiled once.
process.env["NODE_COMPILE_CACHE"] = join(scratch, "compiled");
process.env["PALIMPSEST_RUN_FOLDER"] = scratch;
// tsc is a Go program and makes little garbage: without collection a small package takes 0.30 s of the processor instead of 0.52.
Object.assign(process.env, { GOGC: "off", GOMEMLIMIT: "3GiB" });
process.env["PALIMPSEST_PACKED"] = join(scratch, "packed");
// Attacks and kills wait more than they work, and the steps beside them use one processor mostly.
const quickChaos = ["bench/src/chaos/chaos.ts", "all", "--quick", "--require-all"];
const chaos = node("quick chaos", ...NODE_ON_SOURCES, "--no-warnings", ...quickChaos);
await node("build", "scripts/build.ts");
// What was built, as a user would import it; the examples on the oldest Node that is supported.
const oldestNode = process.env["OLDEST_NODE"] ?? process.execPath;
const examples = node("examples and snippets", "scripts/run-examples.ts", "--built", "--examples-on", oldestNode);
await node("check", "scripts/check.ts");
// The agent as it was built: hundreds of tests start it, and it starts in a fraction of the time.
process.env["PALIMPSEST_AGENT"] = "built";
const floors = [...NODE_ON_SOURCES, "bench/src/main.ts", "floors"];
// What counts is the same on a busy machine: it takes the time in which tests wait for programs.
const counts = node("floors of quick benches: counts and memory", ...floors, "counts");
// Random cases are the same for the same sources, here and on any other machine; a change of the sources brings new ones.
process.env["PALIMPSEST_SEED"] = String(seedOf("packages", "apps", "bench/src", "test"));
// The check has run those of the architecture.
process.env["PALIMPSEST_CHECKED"] = "architecture";
const vitest = ["run", "--reporter=dot", "--reporter=json"];
const inVitest = (name: string, into: string, ...more: readonly string[]): Promise<void> =>
  step(name, installed("vitest"), [...vitest, `--outputFile.json=${into}`, ...more], "passed-through");
await inVitest("tests", report);
await Promise.all([examples, chaos, counts]);
const tests = await judgeTests();
// With nothing else beside them, and with no other cache than a user has: they measure. One works, the other waits for servers mostly.
for (const name of ["NODE_COMPILE_CACHE", "PALIMPSEST_AGENT"]) delete process.env[name];
await Promise.all([
  node("floors of quick benches: times", ...floors, "times"),
  node("floors of quick benches: times of servers and programs", ...floors, "waits"),
]);
await step("nothing under version control was changed", "git", ["diff", "--exit-code", "--stat"]);
// Once more, all of them: the end of a long log is what is read first.
console.log();
for (const { name, result, took } of steps) console.log(`${result}: ${took}: ${name}`);
// A test that is passed over proves nothing: the gate brings what its tests need, so a skipped one has failed.
for (const name of tests.skipped) console.log(`skipped, which counts as failed: ${name}`);
// Their random cases were the same both times: what such a test depends on is the time that it got.
for (const name of tests.unsteady) console.log(`unsteady, it failed beside other steps and passed alone: ${name}`);
const failedSteps = steps.filter(({ result }) => result === "failed").length;
const failed = failedSteps + tests.failed + tests.skipped.length;
console.log(`${minutes()} minutes, ${(processorSeconds() / 60).toFixed(1)} of the processors with the installation`);
console.log(`\n${steps.length - failedSteps + tests.passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** Whether a test failed for want of time shows when its file runs once more and alone. */
async function judgeTests(): Promise<TestCounts> {
  const first = readReport(report);
  if (first === undefined) return { passed: 0, failed: 0, skipped: [], unsteady: [] };
  const files = filesToRunAgain(first);
  if (files.length === 0) return countTests(first);
  const again = join(scratch, "vitest-again.json");
  await inVitest("tests that failed, once more and alone", again, "--maxWorkers=1", ...files);
  const counts = countTests(first, readReport(again));
  if (counts.failed > 0) return counts;
  const index = steps.findIndex(({ name }) => name === "tests");
  steps[index] = { ...steps[index]!, result: "passed" };
  return counts;
}

function readReport(file: string): VitestReport | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as VitestReport) : undefined;
}

function seedOf(...folders: readonly string[]): number {
  const trees = execFileSync("git", ["rev-parse", ...folders.map((folder) => `HEAD:${folder}`)]);
  return createHash("sha256").update(trees).digest().readInt32BE();
}
