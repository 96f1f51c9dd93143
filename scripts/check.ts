import { installed, NODE_ON_SOURCES, runStep } from "./run-step.ts";

/** `npm run check`: everything that can be judged without running a test. Needs Node only. */
const steps: readonly [name: string, command: string, args: readonly string[]][] = [
  ["format and lint", installed("biome"), ["ci", "--error-on-warnings", "."]],
  ["types", installed("tsc"), ["-p", "tsconfig.json"]],
  ["generated files", process.execPath, [...NODE_ON_SOURCES, "--no-warnings", "scripts/generate.ts", "--check"]],
  ["unused code", installed("knip"), []],
  ["linear patterns", process.execPath, [...NODE_ON_SOURCES, "--no-warnings", "scripts/check-patterns.ts"]],
];

const failed = steps.filter(([name, command, args]) => runStep(name, command, args) === "failed").map(([name]) => name);
console.log(failed.length === 0 ? `\nAll ${steps.length} checks passed.` : `\nFailed: ${failed.join("; ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
