import { setImmediate } from "node:timers/promises";
import { getHeapSpaceStatistics } from "node:v8";
import { inTemporaryFolder } from "../chaos/temporary-folder.ts";
import { type SoakPlan, soakSession } from "./soak-session.ts";

/** Compiled code is the program's: it grows as long as the engine finds something to optimize. */
const OF_CODE = /^(code|trusted)_/;

async function measureHeapMb(): Promise<number> {
  // Twice, with a pause: what the first run finds to be weakly held or to be finalised, only the second one frees.
  for (let run = 0; run < 2; run++) {
    await setImmediate();
    globalThis.gc!();
  }
  const spaces = getHeapSpaceStatistics().filter(({ space_name }) => !OF_CODE.test(space_name));
  return spaces.reduce((sum, { space_used_size }) => sum + space_used_size, 0) / 2 ** 20;
}

// A process for each session: what one leaves behind in memory is not another's.
const plan = JSON.parse(process.argv[2]!) as SoakPlan;
console.log(JSON.stringify(await inTemporaryFolder((folder) => soakSession(plan, folder, measureHeapMb))));
