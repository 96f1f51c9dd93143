import type { Bench } from "../bench.ts";
import { CONTESTANTS } from "./contestants.ts";
import { FIDELITY, runGauntlet, seedOf } from "./run-gauntlet.ts";

/** The gauntlet for our own contestants. `npm run -s gauntlet` runs the others too. */
export const gauntletBench: Bench = {
  name: "gauntlet",
  figures: "counts",
  about: "ours on the context gauntlet: faults, facts, cost, kills and bad summarizers; for others: npm run gauntlet",
  async run({ size, only = "" }) {
    const ours = CONTESTANTS.filter(({ kind, name }) => kind === "ours" && name.includes(only));
    const contestants: Record<string, object> = {};
    // The gate has time for one of them.
    for (const one of size === "quick" ? ours.slice(0, 1) : ours) contestants[one.name] = await runGauntlet(one, size);
    return { contestants, seeds: { [size]: seedOf(size) }, fidelity: FIDELITY };
  },
};
