import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Runs a script of ours in a fresh process, on the sources, and reads the JSON it prints. */
export function runProcess<Printed>(script: URL, args: readonly string[]): Printed {
  const options = ["--conditions=palimpsest-source", "--no-warnings"];
  return JSON.parse(execFileSync(process.execPath, [...options, fileURLToPath(script), ...args], { encoding: "utf8" }));
}
