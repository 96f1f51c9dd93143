import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { recordedClock } from "./recorded-clock.ts";

const atRest = async (): Promise<void> => void (await setImmediate());

test("goes from timer to timer, and stands still while something goes on", async () => {
  const clock = recordedClock(1_000, atRest);
  const rung: number[] = [];
  void clock.wait(50).then(async () => {
    rung.push(clock.now());
    await clock.wait(10);
    rung.push(clock.now());
  });
  void clock.wait(500).then(() => rung.push(clock.now()));
  await clock.advanceTo(1_200);
  expect(rung).toEqual([1_050, 1_060]);
  expect(clock.now()).toBe(1_200);
});

test("work that needs time makes all that follows as late", async () => {
  const clock = recordedClock(0, atRest);
  const other = clock.wait(30).then(() => clock.now());
  const work = (async () => {
    await clock.wait(40);
    await clock.wait(60);
    return "done";
  })();
  expect(await clock.settle(work)).toEqual({ result: "done", tookMs: 100 });
  expect(await other).toBe(30);
  await clock.advanceTo(50);
  expect(clock.now()).toBe(150);
});

test("work that nothing ends is an error", async () => {
  await expect(recordedClock(0, atRest).settle(new Promise(() => {}))).rejects.toThrow("no timer will end");
});

test("a timer that is aborted rings at once, and no more", async () => {
  const clock = recordedClock(0, atRest);
  const over = new AbortController();
  const waited = clock.wait(100, over.signal);
  over.abort();
  await waited;
  await clock.advanceTo(200);
  expect(clock.now()).toBe(200);
  await clock.advanceTo(100);
  expect(clock.now()).toBe(200);
});
