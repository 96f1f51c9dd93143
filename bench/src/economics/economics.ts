import { globSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Bench, Figures } from "../bench.ts";
import { startProcess } from "../run-process.ts";
import { tracesFolder } from "../traces.ts";
import { CONDITIONS } from "./conditions.ts";
import type { EconomicsPlan } from "./economics-process.ts";
import { ALL_POLICIES, type SessionResults } from "./session-results.ts";
import { type SessionReport, toFigures } from "./to-figures.ts";

const PROCESS = new URL("economics-process.ts", import.meta.url);
/** One for each processor of the machine that it is measured on. */
const AT_ONCE = 2;

/** Of the sessions in order of their size, small ones that together take half a minute. */
const QUICK = { from: 20, every: 9, sessions: 8, conditions: ["200K/0.1/5m", "1M/0.1/5m"], policies: ["default"] };

/** What recorded sessions would have cost under our policies and those of others, and how much of what they needed was in view. */
export const economicsBench: Bench = {
  name: "economics",
  about: "recorded sessions under our policies and those of others: price, needs met, a limit (PALIMPSEST_TRACES)",
  needs: "traces",
  async run({ size }) {
    const paths = globSync("**/*.{jsonl,jsonl.zst}", { cwd: tracesFolder() }).sort();
    const bySize = paths.toSorted((one, other) => sizeOf(one) - sizeOf(other));
    const { from, every, sessions, conditions, policies } = QUICK;
    const quick = bySize.slice(from).filter((_, index) => index % every === 0);
    const chosen = size === "quick" ? quick.slice(0, sessions) : bySize.toReversed();
    const plan: Omit<EconomicsPlan, "path"> =
      size === "quick"
        ? { conditions, policies, libraries: "left-out" }
        : {
            conditions: CONDITIONS.map(({ name }) => name),
            policies: ALL_POLICIES.map(({ name }) => name),
            libraries: "called",
          };
    return toFigures(await replayAll(chosen, plan)) satisfies Figures;
  },
};

function sizeOf(name: string): number {
  return statSync(resolve(tracesFolder(), name)).size;
}

/** The largest first, so that no processor waits for the last one long. */
async function replayAll(
  names: readonly string[],
  plan: Omit<EconomicsPlan, "path">,
): Promise<readonly SessionReport[]> {
  const waiting = [...names];
  const reports: SessionReport[] = [];
  async function work(): Promise<void> {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const whole = { ...plan, path: resolve(tracesFolder(), name) };
      const { rounds, results } = await startProcess<{ rounds: number; results: SessionResults }>(PROCESS, [
        JSON.stringify(whole),
      ]);
      if (rounds > 0) reports.push({ name, repository: name.split("/")[0]!, rounds, results });
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return reports;
}
