import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import type { Bench } from "./bench.ts";
import { brokenFloors, rulesOf } from "./floors.ts";
import { startMeasuring } from "./processor-seconds.ts";
import { tracesFolder } from "./traces.ts";

/** Runs the benches that have floors, quickly, and says what holds. @param only those with such figures */
export async function checkFloors(benches: readonly Bench[], only?: Bench["figures"]): Promise<"held" | "broken"> {
  let result: "held" | "broken" = "held";
  const isWanted = ({ figures = "times" }: Bench): boolean => only === undefined || only === figures;
  for (const bench of benches.filter(({ name }) => rulesOf(name).length > 0).filter(isWanted)) {
    if (bench.needs === "traces" && !existsSync(tracesFolder())) {
      // Recorded sessions are nobody's to bring along.
      console.log(`skipped: ${bench.name}: no recorded sessions at ${tracesFolder()} (set PALIMPSEST_TRACES)`);
      continue;
    }
    if (bench.needs === "script" && !hasScript()) {
      console.log(`BROKEN: ${bench.name}: install \`script\` of util-linux (on Debian: apt-get install bsdutils)`);
      result = "broken";
      continue;
    }
    const took = startMeasuring();
    let figures = await bench.run({ size: "quick" });
    let broken = brokenFloors(bench.name, figures);
    if (broken.length > 0) {
      // The machine may have been busy with something else. What has become worse is so a second time.
      console.log(`again: ${bench.name}: ${broken.join("; ")} ${JSON.stringify(figures)}`);
      figures = await bench.run({ size: "quick" });
      broken = brokenFloors(bench.name, figures);
    }
    for (const rule of rulesOf(bench.name)) {
      console.log(`${broken.includes(rule) ? "BROKEN" : "held"}: ${bench.name}: ${rule}`);
    }
    console.log(`${bench.name} took ${took()}`);
    if (broken.length > 0) {
      result = "broken";
      console.log(JSON.stringify(figures));
    }
  }
  return result;
}

function hasScript(): boolean {
  return spawnSync("script", ["--version"]).stdout?.includes("util-linux") ?? false;
}
