import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { manualClock } from "./clock.ts";

test("timers ring at their own time, also those that are set when another rings", async () => {
  const clock = manualClock(1_000);
  const rung: number[] = [];
  async function everyTenSeconds(times: number): Promise<void> {
    for (let time = 0; time < times; time++) {
      await clock.wait(10_000);
      rung.push(clock.now());
      // Something that takes real time, like a call: the clock stands still for it.
      await setImmediate();
    }
  }
  const busy = everyTenSeconds(5);
  await clock.pass(35_000, busy);
  expect(rung).toEqual([11_000, 21_000, 31_000]);
  expect(clock.now()).toBe(36_000);
  await clock.pass(100_000, busy);
  expect(rung).toEqual([11_000, 21_000, 31_000, 41_000, 51_000]);
  expect(clock.now()).toBe(136_000);
});

test("a timer ends with its signal, and rings at once if there is nothing to wait for", async () => {
  const clock = manualClock();
  const stop = new AbortController();
  const waiting = clock.wait(1_000, stop.signal);
  stop.abort();
  await waiting;
  await clock.wait(0);
  await clock.wait(1_000, stop.signal);
  expect(clock.now()).toBe(0);
});

test("moving the clock by hand rings what is due", async () => {
  const clock = manualClock();
  const waiting = clock.wait(1_000);
  clock.advance(999);
  clock.set(1_000);
  await waiting;
  expect(clock.now()).toBe(1_000);
});
