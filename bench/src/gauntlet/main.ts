import { appendFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { CONTESTANTS } from "./contestants.ts";
import { FIDELITY, type GauntletSize, runGauntlet, seedOf } from "./run-gauntlet.ts";

const SIZES: readonly GauntletSize[] = ["quick", "short", "full"];
const RESULTS = new URL("../../gauntlet/results.jsonl", import.meta.url);
const USAGE = `npm run -s gauntlet -- --contestant NAME | --all  [--json] [--size quick|short|full] [--axes VFR] [--keep]

The context gauntlet: agents and libraries, unmodified, against the strict simulator, offline.
V validity, F facts with C cost and L latency, R resilience. docs/gauntlet.md explains the figures.

--keep appends the figures of each contestant to bench/gauntlet/results.jsonl.

Contestants: ${CONTESTANTS.map(({ name }) => name).join(", ")}`;

const { values } = parseArgs({
  options: {
    all: { type: "boolean" },
    contestant: { type: "string", multiple: true },
    json: { type: "boolean" },
    size: { type: "string", default: "full" },
    axes: { type: "string" },
    keep: { type: "boolean" },
    help: { type: "boolean" },
  },
});
const wanted = values.all ? CONTESTANTS : CONTESTANTS.filter(({ name }) => values.contestant?.includes(name));
const size = SIZES.find((one) => one === values.size);
if (values.help || wanted.length === 0 || size === undefined) {
  console.log(USAGE);
  process.exitCode = values.help ? 0 : 1;
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
