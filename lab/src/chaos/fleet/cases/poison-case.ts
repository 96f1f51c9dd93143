import { say } from "@palimpsest/fleet";
import { waitUntil } from "../insist.ts";
import { type Job, jobText } from "../job.ts";
import { POISON } from "../worker-plan.ts";
import { comesToRest, type FleetCase, SOON, sayJobs, wrongOf } from "./fleet-case.ts";

const LIMIT_MS = 120_000;

export const poison: FleetCase = {
  name: "poison",
  about:
    "a session ends every worker that opens it, with other sessions beside it; it is set aside alone, and runs again when it is mended",
  size: "gate",
  guards: ["attempts", "suspects"],
  plan: { ...SOON, toolMs: 200 },
  async run(place) {
    const { dispatch, start, busy } = place;
    const innocent = await sayJobs(place, { prefix: "innocent", count: 6, rounds: [["act"], ["look"], ["act"]] });
    const job: Job = { session: POISON, turn: 1, rounds: [["act"]] };
    await say(dispatch.inbox, POISON, { key: "turn 1", content: jobText(job) });
    let worker = start();
    let crashes = 0;
    const isOver = async (): Promise<boolean> => {
      if (worker.state === "gone") {
        crashes++;
        worker = start();
      }
      return (await busy()).every(({ state }) => state === "set-aside");
    };
    const isAtRest = await waitUntil(isOver, LIMIT_MS);
    const wrong: string[] = isAtRest ? [] : ["not at rest"];
    const { sessions } = await dispatch.schedule.listSetAside();
    const names = sessions.map(({ session }) => session);
    if (!names.includes(POISON)) wrong.push("the poison session is not set aside");
    wrong.push(...names.filter((name) => name !== POISON).map((name) => `${name} is set aside, and has done nothing`));
    worker.signal("SIGKILL");
    // The next release does not crash.
    const mended = start({ release: 2 });
    await mended.ready;
    for (const name of names) await dispatch.schedule.resume(name);
    if (!(await comesToRest(place, LIMIT_MS))) wrong.push("not at rest after it was mended");
    const audited = await wrongOf(place, [...innocent, job]);
    return {
      wrong: [...wrong, ...audited.wrong],
      figures: { crashes, set_aside: names.length, innocent: innocent.length, unknown_told: audited.unknownTold },
    };
  },
};
