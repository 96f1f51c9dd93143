import { setTimeout as wait } from "node:timers/promises";
import { comesToRest, type FleetCase, sayJobs, wrongOf } from "./fleet-case.ts";

const [SESSIONS, WORKERS, SLOTS] = [120, 3, 8];

/** So long that a busy machine does not fail. */
const LIMIT_MS = 120_000;

export const herd: FleetCase = {
  name: "herd",
  about: "all workers and the database were away; then every session is due at once, and all workers start at once",
  guards: ["slots"],
  plan: { slots: SLOTS },
  async run(place) {
    const jobs = await sayJobs(place, { prefix: "herd", count: SESSIONS, rounds: [["act"], ["pay"]] });
    await place.database.crash();
    const startedAtMs = Date.now();
    for (let worker = 0; worker < WORKERS; worker++) place.start();
    let mostAtOnce = 0;
    const over = new AbortController();
    const watching = (async () => {
      while (!over.signal.aborted) {
        const held = (await place.busy()).filter(({ state }) => state === "held").length;
        mostAtOnce = Math.max(mostAtOnce, held);
        await wait(20);
      }
    })();
    const isAtRest = await comesToRest(place, LIMIT_MS);
    over.abort();
    await watching;
    const { wrong, unknownTold } = await wrongOf(place, jobs);
    if (!isAtRest) wrong.push("not at rest");
    if (mostAtOnce > WORKERS * SLOTS) wrong.push(`${mostAtOnce} sessions ran at once, with ${WORKERS * SLOTS} slots`);
    if (unknownTold > 0) wrong.push(`${unknownTold} calls are unknown, and nobody was killed`);
    return {
      wrong,
      figures: {
        turns: jobs.length,
        most_at_once: mostAtOnce,
        seconds: Math.round((Date.now() - startedAtMs) / 1_000),
      },
    };
  },
};
