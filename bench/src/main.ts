import { parseArgs } from "node:util";
import { analyzeBench } from "./analyze/analyze.ts";
import type { Bench } from "./bench.ts";
import { breaksBench } from "./breaks/breaks.ts";
import { byHandBench } from "./by-hand/by-hand.ts";
import { cacheFidelityBench } from "./cache-fidelity/cache-fidelity.ts";
import { checkFloors } from "./check-floors.ts";
import { consentBench } from "./consent/consent.ts";
import { countingBench } from "./counting/counting.ts";
import { deferredToolsBench } from "./deferred-tools/deferred-tools.ts";
import { dispatchBench } from "./dispatch/dispatch.ts";
import { doorsBench } from "./doors/doors.ts";
import { economicsBench } from "./economics/economics.ts";
import { notesBench } from "./economics/notes.ts";
import { tuningBench } from "./economics/tuning.ts";
import { extractionBench } from "./extraction/extraction.ts";
import { figuresText } from "./figures-text.ts";
import { fleetBench } from "./fleet/fleet.ts";
import { forksBench } from "./forks/forks.ts";
import { gauntletBench } from "./gauntlet/gauntlet.ts";
import { inspectBench } from "./inspect/inspect.ts";
import { judgeBench } from "./judge.ts";
import { manyBench } from "./many/many.ts";
import { memoryScaleBench } from "./memory-scale/memory-scale.ts";
import { microcompactBench } from "./microcompact/microcompact.ts";
import { openBench } from "./open/open.ts";
import { importBench } from "./overhead/import-cost.ts";
import { overheadBench } from "./overhead/overhead.ts";
import { postgresBench } from "./postgres/postgres.ts";
import { upkeepBench } from "./postgres/upkeep.ts";
import { promisesBench } from "./promises/promises.ts";
import { proxyBench } from "./proxy/proxy.ts";
import { ratesBench } from "./rates/rates.ts";
import { recallBench } from "./recall/recall.ts";
import { recordedCompactionsBench } from "./recorded-compactions/recorded-compactions.ts";
import { sandboxBench } from "./sandbox/sandbox.ts";
import { soakBench } from "./soak/soak.ts";
import { spillBench } from "./spill/spill.ts";
import { startupBench } from "./startup/startup.ts";
import { survivalBench } from "./survival/survival.ts";
import { tuiBench } from "./tui/tui.ts";

const BENCHES: readonly Bench[] = [
  analyzeBench,
  breaksBench,
  byHandBench,
  cacheFidelityBench,
  consentBench,
  countingBench,
  deferredToolsBench,
  dispatchBench,
  doorsBench,
  economicsBench,
  extractionBench,
  fleetBench,
  forksBench,
  gauntletBench,
  importBench,
  inspectBench,
  judgeBench,
  manyBench,
  memoryScaleBench,
  microcompactBench,
  notesBench,
  openBench,
  overheadBench,
  postgresBench,
  promisesBench,
  proxyBench,
  ratesBench,
  recallBench,
  recordedCompactionsBench,
  sandboxBench,
  soakBench,
  spillBench,
  startupBench,
  survivalBench,
  tuiBench,
  tuningBench,
  upkeepBench,
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean" },
    quick: { type: "boolean" },
    only: { type: "string" },
    help: { type: "boolean" },
  },
});
const [name, which] = positionals;
const bench = BENCHES.find((candidate) => candidate.name === name);
if (name === "floors" && (which === undefined || which === "counts" || which === "times" || which === "waits")) {
  process.exitCode = (await checkFloors(BENCHES, which)) === "held" ? 0 : 1;
} else if (bench === undefined || values.help) {
  console.log("npm run -s bench -- NAME [--json] [--quick] [--only TEXT]\n");
  for (const { name: known, about } of BENCHES) console.log(`  ${known.padEnd(16)}${about}`);
  console.log(
    `  ${"floors".padEnd(16)}the quick benches, each against its floors; "floors counts", "floors times", "floors waits": some of them`,
  );
  process.exitCode = values.help || name === undefined ? 0 : 1;
} else {
  const figures = await bench.run({
    size: values.quick ? "quick" : "full",
    ...(values.only === undefined ? {} : { only: values.only }),
  });
  console.log(values.json ? JSON.stringify(figures) : figuresText(figures));
}
