import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDispatch, type Run } from "@palimpsest/coordination";
import { expect, onTestFinished, test } from "vitest";
import { serveQueue } from "./serve-queue.ts";
import { createSuspects } from "./suspects.ts";
import { until } from "./testing/open-world.ts";

/** A dispatch whose clock stands still until it is advanced. It goes with its test. */
async function openWithClock() {
  const folder = mkdtempSync(join(tmpdir(), "fleet-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  let nowMs = 1_000_000;
  const file = join(folder, "dispatch.db");
  const { queue, schedule, close } = await openDispatch({ file, clock: { now: () => nowMs }, pollMs: 20 });
  onTestFinished(close);
  const advance = (byMs: number): void => {
    nowMs += byMs;
  };
  return { queue, schedule, advance };
}

test("sessions that were on a worker whenever it ended run one at a time, so that the one that ends it is set aside alone", async () => {
  const { queue, schedule, advance } = await openWithClock();
  const names = ["a", "b", "c"];
  for (const name of names) await schedule.wake(name);
  for (const attempt of [1, 2, 3, 4]) {
    // A worker takes them all, and is gone.
    const { runs } = await queue.take();
    expect(runs.map((run) => run.attempt)).toEqual(names.map(() => attempt));
    await Promise.all(runs.map((run) => run.renew()));
    advance(60_000);
  }
  const ran: string[] = [];
  let [now, most] = [0, 0];
  const gate = Promise.withResolvers<void>();
  const serving = serveQueue(
    queue,
    async ({ session, attempt }) => {
      ran.push(`${session} ${attempt}`);
      most = Math.max(most, ++now);
      if (ran.length === 1) await gate.promise;
      now--;
      return { kind: "ended" };
    },
    {},
  );
  await until(() => ran.length === 1);
  // The others are looked at again meanwhile, and wait.
  for (let look = 0; look < 3; look++) {
    advance(700);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(ran).toHaveLength(1);
  gate.resolve();
  await until(() => {
    advance(700);
    return ran.length === 3;
  });
  expect([ran.toSorted(), most]).toEqual([["a 5", "b 5", "c 5"], 1]);
  await serving.drain();
  expect((await schedule.listSetAside()).sessions).toEqual([]);
});

test("a worker that a suspect ends before it has given another one back costs that one no attempt", async () => {
  const { queue, schedule, advance } = await openWithClock();
  await schedule.wake("innocent");
  for (const attempt of [1, 2, 3, 4]) {
    const [run] = (await queue.take()).runs;
    expect([run!.attempt, await run!.renew()]).toEqual([attempt, "held"]);
    advance(60_000);
  }
  const suspects = createSuspects({});
  const poison = { session: "poison", attempt: 5, renew: async () => "held" } as Partial<Run> as Run;
  await suspects.admit([poison]);
  const { runs } = await queue.take();
  // The worker is ended while it waits for the database.
  void suspects.admit(runs.map((run) => ({ ...run, release: () => new Promise(() => {}) })));
  advance(60_000);
  const { runs: again, setAside } = await queue.take();
  expect([again.map(({ session, attempt }) => [session, attempt]), setAside]).toEqual([[["innocent", 5]], []]);
});

test("every attempt that a worker lets in counts, whether it ends right after or not", async () => {
  const { queue, schedule, advance } = await openWithClock();
  await schedule.wake("s");
  const attempts: number[] = [];
  for (let worker = 1; worker <= 5; worker++) {
    const { runs } = await queue.take();
    attempts.push(...(await createSuspects({}).admit(runs)).map(({ attempt }) => attempt));
    advance(60_000);
  }
  expect(attempts).toEqual([1, 2, 3, 4, 5]);
});
