import { appendFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Experiment } from "../experiment.ts";
import { CONTESTANTS } from "./contestants.ts";
import { runWithRealModel } from "./real/run-with-real-model.ts";
import { runAll } from "./run-all.ts";
import { choosingSeed, conditionsOf, FIDELITY, type GauntletSize, runGauntlet } from "./run-gauntlet.ts";

const SIZES: readonly GauntletSize[] = ["quick", "short", "full"];
const RESULTS = new URL("../../gauntlet/results.jsonl", import.meta.url);
const USAGE = `npm run -s lab -- gauntlet [--contestant NAME | --all] [--json] [--size quick|short|full] [--axes VFR] [--at-once N] [--keep]
            [--window TOKENS] [--choosing N]
npm run -s lab -- gauntlet --contestant NAME --real-model ID [--windows N]

The context gauntlet: agents and libraries, unmodified, against the strict simulator, offline.
V validity, F facts with C cost and L latency, R resilience. docs/gauntlet.md explains the figures.

--at-once N runs V and R of so many contestants at a time. F, C and L always have the machine to themselves.
--keep appends the figures of each contestant to lab/gauntlet/results.jsonl.
--window is the window that the contestants have, instead of the size's: 48,000 tokens.
--choosing takes a seed with which numbers of the engine may be chosen (1, 2, 3), instead of the size's seed.
--real-model plays the course with a model of Anthropic, which costs money: ANTHROPIC_API_KEY, and ANTHROPIC_BASE_URL for another address.

Without --contestant and --all, only our own contestants run.

Contestants: ${CONTESTANTS.map(({ name }) => name).join(", ")}`;

export const GAUNTLET_ABOUT: string =
  "agents and libraries through faults, compactions and kills (--contestant NAME, --all, --help)";

/** A quick run of one of our own contestants, for the comparison with targets. */
export const gauntletExperiment: Experiment = {
  name: "gauntlet",
  about: GAUNTLET_ABOUT,
  async run({ size }) {
    const ours = CONTESTANTS.filter(({ kind }) => kind === "ours")[0]!;
    const contestants = { [ours.name]: await runGauntlet(ours, { size }) };
    return { contestants, seeds: { [size]: conditionsOf({ size }).seed }, fidelity: FIDELITY };
  },
};

export async function runGauntletCommand(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      all: { type: "boolean" },
      contestant: { type: "string", multiple: true },
      json: { type: "boolean" },
      size: { type: "string", default: "full" },
      axes: { type: "string", default: "VFR" },
      "at-once": { type: "string", default: "1" },
      keep: { type: "boolean" },
      window: { type: "string" },
      choosing: { type: "string" },
      "real-model": { type: "string" },
      windows: { type: "string", default: "1" },
      help: { type: "boolean" },
    },
  });
  const wanted = CONTESTANTS.filter(
    ({ name, kind }) => values.all || (values.contestant?.includes(name) ?? kind === "ours"),
  );
  const size = SIZES.find((one) => one === values.size);
  const seed = values.choosing === undefined ? undefined : choosingSeed(Number(values.choosing));
  const isSeedMissing = values.choosing !== undefined && seed === undefined;
  if (values.help || wanted.length === 0 || size === undefined || isSeedMissing) {
    console.log(USAGE);
    process.exitCode = values.help ? 0 : 1;
  } else if (values["real-model"] !== undefined) {
    const contestants = await runWithRealModel(wanted, values["real-model"], Number(values.windows));
    console.log(JSON.stringify({ contestants }, null, values.json ? 0 : 2));
  } else {
    const startedAtMs = Date.now();
    const run = { size, seed, windowTokens: values.window === undefined ? undefined : Number(values.window) };
    const conditions = conditionsOf(run);
    const contestants = await runAll(wanted, {
      ...run,
      axes: values.axes,
      atOnce: Number(values["at-once"]),
      onFigures({ name }, figures) {
        const minutes = Math.round((Date.now() - startedAtMs) / 60_000);
        console.error(`${name} (${figures.version}): ${Object.keys(figures).join(" ")} after ${minutes} minutes`);
        const line = { contestant: name, size, ...conditions, ...figures };
        if (values.keep) appendFileSync(RESULTS, `${JSON.stringify(line)}\n`);
      },
    });
    const { windowTokens } = conditions;
    const report = { contestants, seeds: { [size]: conditions.seed }, windowTokens, fidelity: FIDELITY };
    console.log(JSON.stringify(report, null, values.json ? 0 : 2));
  }
}
