import { expect, test } from "vitest";
import { idleClock } from "./idle-clock.ts";

test("days pass while nothing happens, and timers ring in order at their own time", async () => {
  const clock = idleClock(1_000);
  const rung: [string, number][] = [];
  const ring = (name: string) => () => void rung.push([name, clock.now()]);
  await Promise.all([clock.wait(864_000_000).then(ring("days")), clock.wait(5).then(ring("soon"))]);
  expect(rung).toEqual([
    ["soon", 1_005],
    ["days", 864_001_000],
  ]);
});

test("an abort ends a wait at once, and takes no time", async () => {
  const clock = idleClock();
  const stop = new AbortController();
  const waited = clock.wait(60_000, stop.signal);
  stop.abort();
  await waited;
  expect(clock.now()).toBe(0);
});
