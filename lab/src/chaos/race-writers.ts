import { setTimeout as sleep } from "node:timers/promises";
import { startWriter } from "./child.ts";
import { audit, type Losses } from "./ledger.ts";
import { readLog } from "./open-log.ts";
import { inTemporaryFolder } from "./temporary-folder.ts";

const YEARS_MS = 10 * 365 * 86_400_000;

/**
 * Several processes take one session from each other, with clocks that are years apart and jump, and are stopped and
 * woken at random: one that sleeps through its replacement must not write when it wakes.
 */
export async function raceWriters(processes: number, forMs: number): Promise<Losses> {
  return inTemporaryFolder(async (folder) => {
    const writers = Array.from({ length: processes }, (_, index) =>
      startWriter({ folder }, "contested", {
        owner: `process ${index}`,
        clockOffsetMs: (index - processes / 2) * YEARS_MS,
        clockJumpMs: YEARS_MS,
        pauseMs: 3,
        largestPayload: 500,
        takeovers: 1_000_000,
      }),
    );
    await Promise.all(writers.map(({ started }) => started));
    const endsAtMs = Date.now() + forMs;
    while (Date.now() < endsAtMs) {
      const { process: victim } = writers[Math.floor(Math.random() * writers.length)]!;
      victim.kill("SIGSTOP");
      await sleep(Math.random() * 60);
      victim.kill("SIGCONT");
      await sleep(Math.random() * 20);
    }
    for (const writer of writers) writer.process.kill("SIGKILL");
    await Promise.all(writers.map(({ ended }) => ended));
    const told = writers.flatMap(({ acknowledged }) => acknowledged);
    return audit(await readLog(folder, "contested"), told);
  });
}
