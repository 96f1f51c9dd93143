import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { CaseResult, FleetCase } from "./cases/fleet-case.ts";
import type { DriverName } from "./driver.ts";
import { argumentsWithout, environmentWithout } from "./without-guard.ts";

/** Ends a case that came to no end, in whatever state the product is in without its guard. On a busy machine one may take 6 minutes. */
const TIMEOUT_MS = 900_000;

/** Runs a case in a process of its own. @param without the name of a guard that is turned off. @default none is */
export async function runCase({ name }: FleetCase, driver: DriverName, without?: string): Promise<CaseResult> {
  const script = fileURLToPath(new URL("./case-process.ts", import.meta.url));
  const env = without === undefined ? process.env : environmentWithout(without);
  const args = ["--conditions=palimpsest-source", "--no-warnings", ...argumentsWithout(env), script, name, driver];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, timeout: TIMEOUT_MS });
  return JSON.parse(stdout) as CaseResult;
}
