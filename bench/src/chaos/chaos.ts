import { parseArgs } from "node:util";
import { figuresText } from "../figures-text.ts";
import { startMeasuring } from "../processor-seconds.ts";
import { compactionTrial } from "./compaction-trial.ts";
import { drillsTrial } from "./fleet/drills-trial.ts";
import { fleetTrial } from "./fleet/fleet-trial.ts";
import { mailTrial } from "./mail-trial.ts";
import { memoryTrial } from "./memory/memory-trial.ts";
import { poisonTrial } from "./poison/poison-trial.ts";
import { postgresTrial } from "./postgres/postgres-trial.ts";
import { proxyTrial } from "./proxy/proxy-trial.ts";
import { securityTrial } from "./security/security-trial.ts";
import { storeTrial } from "./store-trial.ts";
import type { Trial } from "./trial.ts";

const TRIALS: readonly Trial[] = [
  storeTrial,
  postgresTrial,
  compactionTrial,
  securityTrial,
  memoryTrial,
  poisonTrial,
  mailTrial,
  fleetTrial,
  drillsTrial,
  proxyTrial,
];

const { values, positionals } = parseArgs({
  options: {
    json: { type: "boolean" },
    quick: { type: "boolean" },
    "require-all": { type: "boolean" },
    help: { type: "boolean" },
  },
  allowPositionals: true,
});
const [name = "store"] = positionals;
const wanted = name === "all" ? TRIALS : TRIALS.filter((trial) => trial.name === name);
if (wanted.length === 0 || values.help) {
  console.log("npm run -s chaos -- [NAME] [--json] [--quick] [--require-all]\n");
  for (const trial of TRIALS) console.log(`  ${trial.name.padEnd(16)}${trial.about}`);
  console.log(`  ${"all".padEnd(16)}all of them, one after the other`);
  process.exit(values.help ? 0 : 1);
}
let broken = 0;
for (const trial of wanted) {
  const took = startMeasuring();
  const {
    found,
    outcome,
    skipped = [],
  } = await trial.run({
    size: values.quick ? "quick" : "full",
    say: (text) => {
      if (!values.json) console.log(text);
    },
  });
  for (const part of skipped) if (!values.json) console.log(`skipped: ${part}`);
  if (outcome === "BROKEN" || (values["require-all"] && skipped.length > 0)) broken++;
  console.log(values.json ? JSON.stringify(found) : `${figuresText(found)}\n${outcome}: ${trial.name}, ${took()}`);
}
process.exit(broken === 0 ? 0 : 1);
