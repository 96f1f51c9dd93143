import { spawnSync } from "node:child_process";

/** Runs one command with its output passed through; says how it ended. */
export function runStep(name: string, command: string, args: readonly string[]): "passed" | "failed" {
  console.log(`\n--- ${name}`);
  const startedAtMs = Date.now();
  const { status, error } = spawnSync(command, args, { stdio: "inherit" });
  const seconds = ((Date.now() - startedAtMs) / 1_000).toFixed(1);
  const result = status === 0 ? "passed" : "failed";
  console.log(`${result}: ${name} (${seconds} s)${error === undefined ? "" : `: ${error.message}`}`);
  return result;
}

export const NPX = "npx";
/** Sources run as they are: workspace packages resolve to TypeScript. */
export const NODE_ON_SOURCES: readonly string[] = ["--conditions=palimpsest-source"];
