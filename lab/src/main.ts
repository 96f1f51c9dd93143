import { parseArgs } from "node:util";
import { breaksExperiment } from "./breaks/breaks.ts";
import { cacheFidelityExperiment } from "./cache-fidelity/cache-fidelity.ts";
import { compactionTrial } from "./chaos/compaction-trial.ts";
import { fleetDrills } from "./chaos/fleet/fleet-drills.ts";
import { mailTrial } from "./chaos/mail-trial.ts";
import { memoryTrial } from "./chaos/memory/memory-trial.ts";
import { attacks } from "./chaos/security/security-trial.ts";
import { storeTrial } from "./chaos/store-trial.ts";
import { asExperiment } from "./chaos/trial.ts";
import { checkTargets } from "./check-targets.ts";
import { consentExperiment } from "./consent/consent.ts";
import { countingExperiment } from "./counting/counting.ts";
import { deferredToolsExperiment } from "./deferred-tools/deferred-tools.ts";
import { economicsExperiment } from "./economics/economics.ts";
import type { Experiment } from "./experiment.ts";
import { extractionExperiment } from "./extraction/extraction.ts";
import { figuresText } from "./figures-text.ts";
import { fleetExperiment } from "./fleet/fleet.ts";
import { GAUNTLET_ABOUT, gauntletExperiment, runGauntletCommand } from "./gauntlet/gauntlet.ts";
import { inspectExperiment } from "./inspect/inspect.ts";
import { picturesExperiment } from "./inspect/pictures.ts";
import { ladderExperiment } from "./ladder/ladder.ts";
import { memoryExperiment } from "./memory/memory.ts";
import { openExperiment } from "./open/open.ts";
import { importExperiment } from "./overhead/import-cost.ts";
import { overheadExperiment } from "./overhead/overhead.ts";
import { recordedCompactionsExperiment } from "./recorded-compactions/recorded-compactions.ts";
import { soakExperiment } from "./soak/soak.ts";
import { startupExperiment } from "./startup/startup.ts";
import { survivalExperiment } from "./survival/survival.ts";
import { tuiExperiment } from "./tui/tui.ts";

const EXPERIMENTS: readonly Experiment[] = [
  economicsExperiment,
  survivalExperiment,
  recordedCompactionsExperiment,
  countingExperiment,
  cacheFidelityExperiment,
  breaksExperiment,
  openExperiment,
  overheadExperiment,
  importExperiment,
  soakExperiment,
  inspectExperiment,
  picturesExperiment,
  consentExperiment,
  deferredToolsExperiment,
  memoryExperiment,
  extractionExperiment,
  merged("terminal", "start time of the agent, and how smoothly its screen draws", {
    startup: startupExperiment,
    tui: tuiExperiment,
  }),
  asExperiment(storeTrial),
  asExperiment(compactionTrial),
  asExperiment(memoryTrial),
  asExperiment(mailTrial),
  asExperiment(attacks),
  fleetExperiment,
  asExperiment(fleetDrills),
  ladderExperiment,
];

const USAGE = `npm run -s lab -- NAME [--json] [--quick] [--only TEXT]

${[
  ...EXPERIMENTS.map(({ name, about }) => [name, about] as const),
  ["gauntlet", GAUNTLET_ABOUT] as const,
  ["targets", "quick runs of all of the above that have targets, each compared with its targets"] as const,
]
  .map(([name, about]) => `  ${name.padEnd(22)}${about}`)
  .join("\n")}

Recorded sessions are read from the folder in PALIMPSEST_TRACES.`;

const args = process.argv.slice(2);
const firstOption = args.findIndex((arg) => arg.startsWith("-"));
const name = args.slice(0, firstOption < 0 ? args.length : firstOption).join(" ");
const experiment = EXPERIMENTS.find((one) => one.name === name);
if (name === "gauntlet") {
  await runGauntletCommand(args.slice(1));
} else if (name === "targets") {
  process.exitCode =
    (await checkTargets([...EXPERIMENTS, gauntletExperiment].filter((one) => one !== picturesExperiment))) === "held"
      ? 0
      : 1;
} else if (experiment === undefined) {
  if (name !== "") console.error(`There is no experiment "${name}".\n`);
  console.log(USAGE);
  process.exitCode = name === "" ? 0 : 1;
} else {
  const { values } = parseArgs({
    args: args.slice(name.split(" ").length),
    options: {
      json: { type: "boolean" },
      quick: { type: "boolean" },
      only: { type: "string" },
    },
  });
  const size = values.quick ? "quick" : "full";
  const options = { size, ...(values.only === undefined ? {} : { only: values.only }) } as const;
  const figures = await experiment.run(options);
  console.log(values.json ? JSON.stringify(figures) : figuresText(figures));
  const problems = experiment.judge?.(figures, options) ?? [];
  for (const problem of problems) console.error(problem);
  if (figures["outcome"] === "BROKEN" || problems.length > 0) process.exitCode = 1;
}

/** One experiment that runs several and prints the figures of each under its name. */
function merged(name: string, about: string, parts: Readonly<Record<string, Experiment>>): Experiment {
  return {
    name,
    about,
    async run(options) {
      const figures: Record<string, unknown> = {};
      for (const [part, experiment] of Object.entries(parts)) figures[part] = await experiment.run(options);
      return figures;
    },
  };
}
