import { setImmediate } from "node:timers/promises";
import { inTemporaryFolder } from "../chaos/temporary-folder.ts";
import { type SoakPlan, soakSession } from "./soak-session.ts";

/** Twice, with a pause: what the first run finds to be weakly held or to be finalised, only the second one frees. */
async function collectGarbage(): Promise<void> {
  for (let run = 0; run < 2; run++) {
    await setImmediate();
    globalThis.gc!();
  }
}

// A process for each session: what one leaves behind in memory is not another's.
const plan = JSON.parse(process.argv[2]!) as SoakPlan;
const measuring = plan.store === "sqlite" ? collectGarbage : undefined;
console.log(JSON.stringify(await inTemporaryFolder((folder) => soakSession(plan, folder, measuring))));
