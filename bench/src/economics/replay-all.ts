import { globSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { startProcess } from "../run-process.ts";
import { tracesFolder } from "../traces.ts";
import type { EconomicsPlan } from "./economics-process.ts";
import type { SessionResults } from "./session-results.ts";
import type { SessionReport } from "./to-figures.ts";

const PROCESS = new URL("economics-process.ts", import.meta.url);
/** One for each processor of the machine that it is measured on. */
const AT_ONCE = 2;

/** The recorded sessions, the smallest first. */
export function recordedSessions(): readonly string[] {
  const names = globSync("**/*.{jsonl,jsonl.zst}", { cwd: tracesFolder() }).sort();
  const sizes = new Map(names.map((name) => [name, statSync(resolve(tracesFolder(), name)).size]));
  return names.toSorted((one, other) => sizes.get(one)! - sizes.get(other)!);
}

/** The largest first, so that no processor waits for the last one long. */
export async function replayAll(
  names: readonly string[],
  plan: Omit<EconomicsPlan, "path">,
): Promise<readonly SessionReport[]> {
  const waiting = [...names];
  const reports: SessionReport[] = [];
  let done = 0;
  async function work(): Promise<void> {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      const whole: EconomicsPlan = { ...plan, path: resolve(tracesFolder(), name) };
      const { rounds, results } = await startProcess<{ rounds: number; results: SessionResults }>(PROCESS, [
        JSON.stringify(whole),
      ]);
      // Not to standard output: that is for the figures. All of them take the better part of an hour.
      console.error(`${++done} of ${names.length} sessions`);
      if (rounds > 0) reports.push({ name, repository: name.split("/")[0]!, rounds, results });
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return reports;
}
