import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { writeUntilFull } from "../../write-until-full.ts";
import { comesToRest, type FleetCase, SOON, sayJobs, wrongOf } from "./fleet-case.ts";

const FULL_FOR_MS = 6_000;
/** So long that a busy machine does not fail. */
const LIMIT_MS = 120_000;

export const fullDisk: FleetCase = {
  name: "full disk",
  about:
    "the database's disk is full in the middle of turns; somebody makes room, and starts the server again if it stopped",
  guards: ["failed runs"],
  plan: SOON,
  diskBytes: 256 * 1_048_576,
  async run(place) {
    const { database, disk = "" } = place;
    const workers = [place.start(), place.start()];
    await Promise.all(workers.map(({ ready }) => ready));
    const rounds = [["act"], ["look"], ["pay"], ["look"]] as const;
    const jobs = await sayJobs(place, { prefix: "full", count: 24, rounds });
    const ballast = join(disk, "ballast");
    await wait(500);
    const endMs = Date.now() + FULL_FOR_MS;
    // What the server gives free is taken, too.
    for (; Date.now() < endMs; await wait(100)) await writeUntilFull(ballast);
    const failures = workers.flatMap(({ errors }) => errors).length;
    await rm(ballast);
    const isAway = await database.admin.query("SELECT 1").then(
      () => false,
      () => true,
    );
    if (isAway) await database.crash();
    const isAtRest = await comesToRest(place, LIMIT_MS);
    const { wrong, unknownTold } = await wrongOf(place, jobs);
    if (!isAtRest) wrong.push("not at rest");
    if (failures === 0) wrong.push("nobody noticed that the disk was full");
    const figures = { turns: jobs.length, failures, server_stopped: isAway ? 1 : 0, unknown_told: unknownTold };
    return { wrong, figures };
  },
};
