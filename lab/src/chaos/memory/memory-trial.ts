import { join } from "node:path";
import { inTemporaryFolder } from "../temporary-folder.ts";
import { heldIfZero, type Trial } from "../trial.ts";
import { auditMemory } from "./audit-memory.ts";
import { dieAtEveryPoint } from "./die-at-every-point.ts";
import { raceLeases } from "./race-leases.ts";
import { raceMemory } from "./race-memory.ts";

const SIZES = {
  full: { processes: 8, changes: 1_000, handEdits: 1_000, kills: 300, everyNthPoint: 1, leaseRounds: 1_000 },
  quick: { processes: 3, changes: 30, handEdits: 25, kills: 5, everyNthPoint: 23, leaseRounds: 40 },
};

export const memoryTrial: Trial = {
  name: "chaos memory",
  about: "processes that change one memory and are killed, while its files are edited by hand",
  async run({ size, say }) {
    const { everyNthPoint, leaseRounds, ...options } = SIZES[size];
    say(`${options.processes} processes x ${options.changes} changes of one memory, with kills and edits by hand ...`);
    const { record, losses } = await inTemporaryFolder(async (base) => {
      const folder = join(base, "memory");
      const raced = await raceMemory(folder, options);
      return { record: raced, losses: await auditMemory(folder, raced) };
    });
    say("a process that dies at every point of a change ...");
    const died = await dieAtEveryPoint(everyNthPoint);
    const leases = await raceLeases({ rounds: leaseRounds, processes: 8, say });
    const found = {
      writes: record.acknowledged.length,
      sigkills: record.kills,
      lost: losses.lost,
      overwritten: losses.overwritten,
      reads: record.reads,
      torn: losses.torn,
      index_differs: losses.indexDiffers,
      history_differs: losses.historyDiffers,
      hand_edits: record.edits.length,
      hand_edits_lost: losses.handEditsLost,
      death_points: died.points,
      death_points_broken: died.broken.length,
      death_broken: died.broken,
      ...leases,
    };
    const counts = [found.lost, found.overwritten, found.torn, found.index_differs, found.history_differs];
    return {
      found,
      outcome: heldIfZero(...counts, found.hand_edits_lost, found.death_points_broken, found.double_owners),
    };
  },
};
