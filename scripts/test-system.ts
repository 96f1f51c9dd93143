import { mkdtempSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { installed, runStep, runStepBeside } from "./run-step.ts";
import { removeWhenWeEnd } from "./when-we-end.ts";

/**
 * `npm run test:system`: the tests that need programs and servers (`*.system.test.ts`), the packages as they would be published, and
 * the examples and snippets on the built packages. The examples run on the oldest supported Node if OLDEST_NODE names its program.
 */
const scratch = mkdtempSync(join(tmpdir(), "palimpsest-system-"));
removeWhenWeEnd(scratch);
process.env["PALIMPSEST_RUN_FOLDER"] ??= scratch;
// Hundreds of programs are started: each is compiled once.
process.env["NODE_COMPILE_CACHE"] ??= join(scratch, "compiled");
process.env["PALIMPSEST_PACKED"] ??= join(scratch, "packed");
// The tests start the agent as it was built, which takes half the time.
process.env["PALIMPSEST_AGENT"] = "built";
const results: ("passed" | "failed")[] = [runStep("build", process.execPath, ["scripts/build.ts"])];
const packages = runStepBeside("packages as published", process.execPath, ["scripts/check-packages.ts"]);
const oldestNode = process.env["OLDEST_NODE"] ?? process.execPath;
const examples = packages.then(() =>
  runStepBeside("examples and snippets", process.execPath, [
    "scripts/run-examples.ts",
    "--built",
    "--examples-on",
    oldestNode,
  ]),
);
results.push(await packages);
const args = ["run", "--project", "system", "--project", "postgres 18", "--reporter=dot", "--reporter=json"];
const report = process.env["SYSTEM_REPORT"] ?? join(scratch, "system.json");
args.push(`--outputFile.json=${report}`);
// A third of their time is waiting for terminals, servers and programs, so more run than there are processors.
args.push(`--maxWorkers=${2 * availableParallelism()}`);
results.push(await runStepBeside("system tests", installed("vitest"), args, "passed-through"), await examples);
process.exitCode = results.includes("failed") ? 1 : 0;
