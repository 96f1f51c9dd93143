import { randomInt } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installed, NODE_ON_SOURCES, runStep } from "./run-step.ts";
import { removeWhenWeEnd } from "./when-we-end.ts";

/** `.ci/nightly` after installation: ring 3. Every step runs, even after one has failed. */
const seed = process.env["SEED"] ?? String(randomInt(2 ** 31));
console.log(`seed ${seed}. To repeat this run: SEED=${seed} .ci/nightly`);
const scratch = mkdtempSync(join(tmpdir(), "palimpsest-nightly-"));
removeWhenWeEnd(scratch);
process.env["NODE_COMPILE_CACHE"] = join(scratch, "compiled");
process.env["PALIMPSEST_SEED"] = seed;
const lab = (...words: readonly string[]) =>
  [words.join(" "), process.execPath, [...NODE_ON_SOURCES, "--no-warnings", "lab/src/main.ts", ...words]] as const;
const tests = (project: string) =>
  [`${project} tests`, installed("vitest"), ["run", "--project", project, "--reporter=dot"]] as const;

const steps: readonly (readonly [name: string, command: string, args: readonly string[]])[] = [
  tests("unit"),
  ["npm run test:system", process.execPath, ["scripts/test-system.ts"]],
  tests("oldest peers"),
  tests("nightly"),
  tests("lab"),
  ["laws with other seeds", process.execPath, ["scripts/laws.ts", "--minutes", "20"]],
  ["OpenClaw's types", process.execPath, ["examples/check-openclaw.ts"]],
  lab("targets"),
  lab("chaos", "store"),
  lab("chaos", "compaction"),
  lab("chaos", "memory"),
  lab("chaos", "mail"),
  lab("attacks"),
  lab("fleet-drills"),
];

const results = steps.map(([name, command, args]) => {
  const startedAtMs = Date.now();
  const result = runStep(name, command, args);
  return { name, result, minutes: ((Date.now() - startedAtMs) / 60_000).toFixed(1) };
});
console.log(`\nseed ${seed}`);
for (const { name, result, minutes } of results) console.log(`${result}: ${minutes} min: ${name}`);
const failed = results.filter(({ result }) => result === "failed").length;
console.log(`\n${results.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
