import { type StartedDatabase, startDatabase } from "@palimpsest/postgres/test-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Work, WorkRun } from "../scheduler.ts";
import { testScheduler } from "../test-scheduler.ts";
import { type Shared, shareDatabase, until } from "../testing/open-world.ts";
import { restateScheduler } from "./restate-scheduler.ts";
import { freePorts, type StartedRestate, startRestate } from "./start-restate.ts";

let database: StartedDatabase;
let restate: StartedRestate;
let port: number;

beforeAll(async () => {
  [database, restate, [port = 0]] = await Promise.all([startDatabase(), startRestate(), freePorts(1)]);
  const shared = await share();
  const scheduler = await shared.connect();
  const serving = scheduler.serve(async () => ({ kind: "ended" }));
  await restate.register(`http://127.0.0.1:${port}`);
  await serving.drain();
  await shared.close();
});

afterAll(async () => {
  await restate.stop();
  await database.stop();
});

/** All workers listen on one port, as behind a balancer. */
function share(): Promise<Shared> {
  return shareDatabase(database, ({ queue, tenant }) =>
    restateScheduler({
      queue,
      schedule: (name) => tenant(name).schedule,
      ingressUrl: restate.ingressUrl,
      listen: { host: "127.0.0.1", port, reusePort: true },
    }),
  );
}

testScheduler({
  test,
  async place() {
    const { tenant, connect, close } = await share();
    return { tenant, open: connect, remove: close };
  },
});

test("names of sessions may have any visible characters", async () => {
  const { tenant, connect, close } = await share();
  const [front, scheduler] = [await connect(), await connect()];
  const names = ["a/b", "a%2Fb", "a?b#c", "<&>", ".", ".."];
  const ran: string[] = [];
  const serving = scheduler.serve(async (run) => {
    ran.push(`${run.tenant} ${run.session}`);
    return { kind: "ended" };
  });
  try {
    for (const session of names) await front.wake({ tenant, session });
    await until(() => ran.length === names.length);
    expect([...ran].sort()).toEqual(names.map((name) => `${tenant} ${name}`).sort());
  } finally {
    await serving.drain({ withinMs: 0 });
    await close();
  }
});

test("if Restate is killed, runs leave, nothing that was said meanwhile is lost, and all continue", async () => {
  const { tenant, connect, close } = await share();
  const [front, scheduler] = [await connect(), await connect()];
  const runs: WorkRun[] = [];
  const gate = Promise.withResolvers<void>();
  const work: Work = async (run) => {
    runs.push(run);
    const left = new Promise<void>((resolve) => run.left.addEventListener("abort", () => resolve()));
    await Promise.race([left, gate.promise]);
    return { kind: run.left.aborted ? "left" : "ended" };
  };
  const errors: string[] = [];
  const serving = scheduler.serve(work, { renewEveryMs: 200, onError: (error) => void errors.push(String(error)) });
  try {
    await front.wake({ tenant, session: "one" });
    await until(() => runs.length === 1);
    const crashed = restate.crash();
    await until(() => runs[0]!.left.aborted);
    await front.wake({ tenant, session: "two" });
    await crashed;
    const runsOf = (name: string) => runs.filter(({ session }) => session === name);
    await until(() => runsOf("one").length >= 2 && runsOf("two").length >= 1);
    const again = runsOf("one").at(-1)!;
    expect(again.number).toBeGreaterThan(runs[0]!.number);
    expect(again.left.aborted).toBe(false);
    gate.resolve();
    await until(() => serving.running.length === 0);
    expect(await front.wake({ tenant, session: "one" })).toBe("woken");
  } finally {
    await serving.drain({ withinMs: 0 });
    await close();
  }
});
