import { appendFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { CONTESTANTS } from "./contestants.ts";
import { runWithRealModel } from "./real/run-with-real-model.ts";
import { FIDELITY, type GauntletSize, runGauntlet, seedOf } from "./run-gauntlet.ts";

const SIZES: readonly GauntletSize[] = ["quick", "short", "full"];
const RESULTS = new URL("../../gauntlet/results.jsonl", import.meta.url);
const USAGE = `npm run -s gauntlet -- --contestant NAME | --all  [--json] [--size quick|short|full] [--axes VFR] [--keep]
npm run -s gauntlet -- --contestant NAME --real-model ID [--windows N]

The context gauntlet: agents and libraries, unmodified, against the strict simulator, offline.
V validity, F facts with C cost and L latency, R resilience. docs/gauntlet.md explains the figures.

--keep appends the figures of each contestant to bench/gauntlet/results.jsonl.
--real-model plays the course with a model of Anthropic, which costs money: ANTHROPIC_API_KEY, and ANTHROPIC_BASE_URL for another address.

Contestants: ${CONTESTANTS.map(({ name }) => name).join(", ")}`;

const { values } = parseArgs({
  options: {
    all: { type: "boolean" },
    contestant: { type: "string", multiple: true },
    json: { type: "boolean" },
    size: { type: "string", default: "full" },
    axes: { type: "string" },
    keep: { type: "boolean" },
    "real-model": { type: "string" },
    windows: { type: "string", default: "1" },
    help: { type: "boolean" },
  },
});
const wanted = values.all ? CONTESTANTS : CONTESTANTS.filter(({ name }) => values.contestant?.includes(name));
const size = SIZES.find((one) => one === values.size);
if (values.help || wanted.length === 0 || size === undefined) {
  console.log(USAGE);
  process.exitCode = values.help ? 0 : 1;
} else if (values["real-model"] !== undefined) {
  const contestants = await runWithRealModel(wanted, values["real-model"], Number(values.windows));
  console.log(JSON.stringify({ contestants }, null, values.json ? 0 : 2));
} else {
  const contestants: Record<string, object> = {};
  for (const contestant of wanted) {
    console.error(`${contestant.name} (${contestant.version()})`);
    const figures = await runGauntlet(contestant, size, values.axes);
    contestants[contestant.name] = figures;
    const line = { contestant: contestant.name, size, seed: seedOf(size), ...figures };
    if (values.keep) appendFileSync(RESULTS, `${JSON.stringify(line)}\n`);
  }
  const report = { contestants, seeds: { [size]: seedOf(size) }, fidelity: FIDELITY };
  console.log(JSON.stringify(report, null, values.json ? 0 : 2));
}
