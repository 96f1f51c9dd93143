import { waitUntil } from "../insist.ts";
import { comesToRest, type FleetCase, SOON, sayJobs, wrongOf } from "./fleet-case.ts";

const HOUR_MS = 3_600_000;

/** So long that a busy machine does not fail. */
const LIMIT_MS = 120_000;

export const clockJump: FleetCase = {
  name: "clock jump",
  about: "the clock of one worker jumps an hour ahead, that of another an hour back; neither loses a run",
  guards: ["clock"],
  // Calls that take longer than a silent run is held.
  plan: { ...SOON, toolMs: 4_000, slots: 4 },
  async run(place) {
    const workers = [place.start(), place.start()];
    await Promise.all(workers.map(({ ready }) => ready));
    const jobs = await sayJobs(place, { prefix: "clock", count: 8, rounds: [["pay"], ["pay"]] });
    await waitUntil(async () => (await place.busy()).every(({ state }) => state === "held"), LIMIT_MS);
    // Has nothing to do, and the right time.
    await place.start().ready;
    for (const [index, worker] of workers.entries()) worker.jumpClock(index === 0 ? HOUR_MS : -HOUR_MS);
    const isAtRest = await comesToRest(place, LIMIT_MS);
    const { wrong, unknownTold } = await wrongOf(place, jobs);
    if (!isAtRest) wrong.push("not at rest");
    if (unknownTold > 0) wrong.push(`${unknownTold} calls are unknown, and nobody was killed`);
    return { wrong, figures: { turns: jobs.length } };
  },
};
