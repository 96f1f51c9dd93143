import { setTimeout as wait } from "node:timers/promises";
import { startTraffic } from "../traffic.ts";
import { type FleetCase, wrongOf } from "./fleet-case.ts";

const ROUNDS = 2;

/** So long that a busy machine does not fail. */
const LIMIT_MS = 120_000;

export const deploy: FleetCase = {
  name: "deploy",
  about: "two releases run beside each other, and the old workers are drained while users go on",
  size: "gate",
  guards: ["drain"],
  plan: { toolMs: 60 },
  async run(place) {
    let workers = [place.start(), place.start()];
    await Promise.all(workers.map(({ ready }) => ready));
    const traffic = startTraffic(place, { sessions: 12, turnsEach: 6, turnsPerSecond: 8 });
    const wrong: string[] = [];
    let drained = 0;
    for (let round = 0; round < ROUNDS; round++) {
      await wait(1_500);
      const release = round % 2 === 0 ? 2 : 1;
      const next = [place.start({ release }), place.start({ release })];
      await Promise.all(next.map(({ ready }) => ready));
      for (const old of workers) {
        old.signal("SIGTERM");
        if ((await old.gone) !== null) wrong.push("a worker was killed, and not drained");
        drained += old.drained === undefined ? 0 : 1;
        if (old.drained?.left !== 0)
          wrong.push(`a worker has left ${old.drained?.left} sessions in the middle of a step`);
      }
      workers = next;
    }
    if ((await traffic.finish(LIMIT_MS)) === "not at rest") wrong.push("not at rest");
    const audited = await wrongOf(place, traffic.jobs);
    if (audited.unknownTold > 0) wrong.push(`${audited.unknownTold} calls are unknown, and nobody was killed`);
    return { wrong: [...wrong, ...audited.wrong], figures: { turns: traffic.jobs.length, drained } };
  },
};
