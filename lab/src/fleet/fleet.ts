import { startDatabase } from "@palimpsest/postgres/test-server";
import { bundleWorker } from "../chaos/fleet/bundle-worker.ts";
import { inTemporaryFolder } from "../chaos/temporary-folder.ts";
import type { Experiment } from "../experiment.ts";
import { compareTurns } from "./compare-turns.ts";
import { watchDeltas } from "./watch-deltas.ts";

const SIZES = {
  full: { sessions: 32, rounds: 9, alone: 40, streams: 1_000, turnsPerSecond: 25 },
  quick: { sessions: 16, rounds: 3, alone: 8, streams: 60, turnsPerSecond: 20 },
} as const;

/** What turns cost that any worker can run, against the same turns without a fleet, in PostgreSQL with `fsync` on. */
export const fleetExperiment: Experiment = {
  name: "fleet",
  about: "turns through workers against bare ones of as many steps; delay of deltas for watchers of many sessions",
  async run({ size }) {
    const { streams, turnsPerSecond, ...turns } = SIZES[size];
    const database = await startDatabase({ fsync: "on" });
    try {
      const compared = await compareTurns(database, turns);
      const watched = await inTemporaryFolder(async (folder) =>
        watchDeltas(database, { streams, turnsPerSecond, program: await bundleWorker(folder) }),
      );
      return { ...compared, ...watched };
    } finally {
      await database.stop();
    }
  },
};
