import { installed, runStep } from "./run-step.ts";

/** Everything that can be said of the code without running it: format, lint, types, unused code, packages. */
const steps: readonly [name: string, command: string, args: readonly string[]][] = [
  ["format and lint", installed("biome"), ["ci", "--error-on-warnings", "."]],
  ["types", installed("tsc"), ["-p", "tsconfig.json"]],
  ["architecture", installed("vitest"), ["run", "test/architecture"]],
  ["defaults page", process.execPath, ["scripts/write-defaults.ts", "--check"]],
  ["command-line page", process.execPath, ["--conditions=palimpsest-source", "scripts/write-cli.ts", "--check"]],
  ["schemas", process.execPath, ["--conditions=palimpsest-source", "scripts/write-schemas.ts", "--check"]],
  ["plugins of the MCP server", process.execPath, ["scripts/write-plugins.ts", "--check"]],
  ["API reports", process.execPath, ["scripts/write-api.ts", "--check"]],
  ["unused code", installed("knip"), []],
  ["build", process.execPath, ["scripts/build.ts", "--if-older"]],
  ["packages as published", process.execPath, ["scripts/check-packages.ts"]],
];

const failed = steps.filter(([name, command, args]) => runStep(name, command, args) === "failed").map(([name]) => name);
console.log(failed.length === 0 ? `\nAll ${steps.length} checks passed.` : `\nFailed: ${failed.join("; ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
