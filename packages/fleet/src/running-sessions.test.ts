import { expect, test } from "vitest";
import { createRunningSessions } from "./running-sessions.ts";

const target = (session: string) => ({ tenant: "t", session });
const untilLeft = (left: AbortController): Promise<void> =>
  new Promise((resolve) => left.signal.addEventListener("abort", () => resolve(), { once: true }));

test("what ends while the last look goes on counts as ended, and what that look begins counts, too", async () => {
  const running = createRunningSessions();
  const [short, look] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = running.start(target("short"), () => short.promise);
  void running.start(target("long"), untilLeft);
  const drained = running.drain({ withinMs: 0 }, look.promise);
  short.resolve();
  await first;
  void running.start(target("new"), untilLeft);
  expect(running.targets.map(({ session }) => session)).toEqual(["long", "new"]);
  look.resolve();
  expect(await drained).toEqual({ ended: 1, left: 2 });
  expect(running.size).toBe(0);
});
