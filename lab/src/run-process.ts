import { execFile, execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const OPTIONS = ["--conditions=palimpsest-source", "--no-warnings"];
/** Enough for a line of figures that has every measurement in it. */
const MAX_BYTES = 64 * 2 ** 20;

/** Runs a script of ours in a fresh process, on the sources, and reads the JSON it prints. */
export function runProcess<Printed>(script: URL, args: readonly string[]): Printed {
  return JSON.parse(execFileSync(process.execPath, [...OPTIONS, fileURLToPath(script), ...args], { encoding: "utf8" }));
}

/** The same beside others, in a process whose garbage can be collected at will. */
export async function startProcess<Printed>(script: URL, args: readonly string[]): Promise<Printed> {
  const all = [...OPTIONS, "--expose-gc", fileURLToPath(script), ...args];
  const { stdout } = await promisify(execFile)(process.execPath, all, { maxBuffer: MAX_BYTES });
  return JSON.parse(stdout);
}
