import { existsSync } from "node:fs";
import type { Experiment } from "./experiment.ts";
import { startMeasuring } from "./processor-seconds.ts";
import { missedTargets, rulesOf } from "./targets.ts";
import { tracesFolder } from "./traces.ts";

/** Runs every experiment in its quick size and compares its figures with their targets. */
export async function checkTargets(experiments: readonly Experiment[]): Promise<"held" | "missed"> {
  let result: "held" | "missed" = "held";
  for (const { name, needs, run } of experiments) {
    if (needs === "traces" && !existsSync(tracesFolder())) {
      console.log(`not run: ${name}: no recorded sessions at ${tracesFolder()} (set PALIMPSEST_TRACES)`);
      continue;
    }
    const took = startMeasuring();
    const figures = await run({ size: "quick" });
    const missed = missedTargets(name, figures);
    for (const rule of rulesOf(name).filter((one) => !missed.includes(one))) console.log(`held: ${name}: ${rule}`);
    for (const rule of missed) console.log(`MISSED: ${name}: ${rule}`);
    console.log(`${name} took ${took()}`);
    if (missed.length > 0) {
      result = "missed";
      console.log(JSON.stringify(figures));
    }
  }
  return result;
}
