import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { waitUntil } from "../insist.ts";
import type { Place } from "../place.ts";
import { type StartedProxy, startProxy } from "../start-proxy.ts";
import { type CaseResult, comesToRest, type FleetCase, SOON, sayJobs, wrongOf } from "./fleet-case.ts";

const CUTS = 20;

/**
 * How long the others may take while a worker is out of reach. Restate does not notice that a worker cannot work, and sends it what is
 * new, too: that is sent again after 15 s, and may come to the same worker once more.
 */
const OTHERS_WITHIN_MS = { postgres: 30_000, restate: 90_000 } as const;

/** A network between workers and the database that can be slow, stand still, and be cut. */
async function behindProxy(
  { database }: Place,
  run: (proxy: StartedProxy, plan: { readonly database: { host: string; port: number } }) => Promise<CaseResult>,
): Promise<CaseResult> {
  const proxy = await startProxy(join(database.host, ".s.PGSQL.5432"));
  try {
    return await run(proxy, { database: { host: "127.0.0.1", port: proxy.port } });
  } finally {
    await proxy.stop();
  }
}

export const slowNetwork: FleetCase = {
  name: "slow network",
  about: "every packet to and from the database takes 40 ms longer, and connections are cut in the middle of steps",
  guards: ["failed runs"],
  plan: SOON,
  run: (place) =>
    behindProxy(place, async (proxy, plan) => {
      const worker = place.start(plan);
      await worker.ready;
      proxy.delay(40);
      const jobs = await sayJobs(place, { prefix: "slow", count: 16, rounds: [["act"], ["look"], ["act"], ["look"]] });
      await wait(1_500);
      proxy.delay(5);
      for (let cut = 0; cut < CUTS; cut++) {
        await wait(50 + Math.random() * 300);
        proxy.cut();
      }
      proxy.delay(0);
      const isAtRest = await comesToRest(place, 120_000);
      const { wrong, unknownTold } = await wrongOf(place, jobs);
      if (!isAtRest) wrong.push("not at rest");
      return { wrong, figures: { turns: jobs.length, cuts: CUTS, unknown_told: unknownTold } };
    }),
};

export const partition: FleetCase = {
  name: "partition",
  about:
    "the network between one worker and the database stands still; another worker continues, and the first one comes back",
  size: "gate",
  guards: ["silence"],
  plan: { ...SOON, toolMs: 300 },
  run: (place) =>
    behindProxy(place, async (proxy, plan) => {
      const apart = place.start(plan);
      await apart.ready;
      const jobs = await sayJobs(place, { prefix: "apart", count: 8, rounds: [["act", "pay"], ["pay"]] });
      const heldNow = async (): Promise<number> => (await place.busy()).filter(({ state }) => state === "held").length;
      await waitUntil(async () => (await heldNow()) > 0, 30_000);
      proxy.pause();
      const held = await heldNow();
      const other = place.start();
      await other.ready;
      const isAtRest = await comesToRest(place, OTHERS_WITHIN_MS[place.driver]);
      proxy.resume();
      // The worker that was apart finds out now.
      await wait(2_000);
      const { wrong, unknownTold } = await wrongOf(place, jobs);
      if (!isAtRest) wrong.push("nobody continued while the worker was apart");
      if (held === 0) wrong.push("the worker was apart when it held nothing");
      return { wrong, figures: { turns: jobs.length, held, unknown_told: unknownTold } };
    }),
};

export const zombie: FleetCase = {
  name: "zombie",
  about: "a worker stands still in the middle of calls, is replaced, and continues as if nothing had happened",
  guards: ["beginnings"],
  plan: { ...SOON, toolMs: 400 },
  async run(place) {
    const first = place.start();
    await first.ready;
    const jobs = await sayJobs(place, { prefix: "zombie", count: 8, rounds: [["act", "pay"]] });
    const trapped = await first.trap({ phase: "in a tool", skip: 4, except: [] });
    first.signal("SIGSTOP");
    const other = place.start();
    await other.ready;
    const isAtRest = await comesToRest(place, OTHERS_WITHIN_MS[place.driver]);
    first.signal("SIGCONT");
    await wait(2_000);
    const { wrong, unknownTold } = await wrongOf(place, jobs);
    if (trapped === undefined) wrong.push("the worker did not come to a tool");
    if (!isAtRest) wrong.push("nobody continued while the worker stood still");
    return { wrong, figures: { turns: jobs.length, unknown_told: unknownTold } };
  },
};
