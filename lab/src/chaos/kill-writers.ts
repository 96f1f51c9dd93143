import { setTimeout as sleep } from "node:timers/promises";
import { startWriter } from "./child.ts";
import { addLosses, audit, type Losses, noLosses } from "./ledger.ts";
import { readLog } from "./open-log.ts";
import { inTemporaryFolder } from "./temporary-folder.ts";
import type { Acknowledged } from "./writer-process.ts";

/** A log that has been through this many kills is long enough; the next one goes to a new log. */
const KILLS_PER_LOG = 20;

/** Kills a writing process again and again, at random moments, and looks what is left. */
export async function killWriters(kills: number): Promise<Losses> {
  let losses = noLosses();
  await inTemporaryFolder(async (folder) => {
    let told: Acknowledged[] = [];
    for (let kill = 0; kill < kills; kill++) {
      const session = `session-${Math.floor(kill / KILLS_PER_LOG)}`;
      if (kill % KILLS_PER_LOG === 0) told = [];
      const writer = startWriter({ folder }, session);
      await writer.started;
      await sleep(Math.random() * 30);
      writer.process.kill("SIGKILL");
      await writer.ended;
      told.push(...writer.acknowledged);
      losses = addLosses(losses, audit(await readLog(folder, session), told));
    }
  });
  return losses;
}
