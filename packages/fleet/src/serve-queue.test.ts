import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDispatch } from "@palimpsest/coordination";
import { expect, test } from "vitest";
import { serveQueue } from "./serve-queue.ts";
import { until } from "./testing/open-world.ts";

test("sessions that were on a worker whenever it ended run one at a time, so that the one that ends it is set aside alone", async () => {
  const folder = mkdtempSync(join(tmpdir(), "fleet-"));
  let nowMs = 1_000_000;
  const { queue, schedule, close } = await openDispatch({
    file: join(folder, "dispatch.db"),
    clock: { now: () => nowMs },
    pollMs: 20,
  });
  const names = ["a", "b", "c"];
  for (const name of names) await schedule.wake(name);
  for (const attempt of [1, 2, 3, 4]) {
    // A worker takes them all, and is gone.
    const { runs } = await queue.take();
    expect(runs.map((run) => run.attempt)).toEqual(names.map(() => attempt));
    nowMs += 60_000;
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
    nowMs += 700;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(ran).toHaveLength(1);
  gate.resolve();
  await until(() => {
    nowMs += 700;
    return ran.length === 3;
  });
  expect([ran.toSorted(), most]).toEqual([["a 5", "b 5", "c 5"], 1]);
  await serving.drain();
  expect((await schedule.listSetAside()).sessions).toEqual([]);
  await close();
  rmSync(folder, { recursive: true });
});
