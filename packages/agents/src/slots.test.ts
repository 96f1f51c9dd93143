import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { createSlots } from "./slots.ts";

const never = new AbortController().signal;

/** Whether a slot was given, once all that is due has happened. */
async function isGiven(slot: Promise<(() => void) | undefined>): Promise<boolean> {
  let isIn = false;
  void slot.then((release) => {
    isIn = release !== undefined;
  });
  await setImmediate();
  return isIn;
}

test("as many as may run do, and the others wait in order", async () => {
  const slots = createSlots(() => 1);
  const release = (await slots.take(never))!;
  const [second, third] = [slots.take(never), slots.take(never)];
  expect(await isGiven(second)).toBe(false);
  release();
  expect(await isGiven(second)).toBe(true);
  expect(await isGiven(third)).toBe(false);
});

test("whoever is stopped while it waits takes no slot", async () => {
  const slots = createSlots(() => 1);
  const release = (await slots.take(never))!;
  const stopped = new AbortController();
  const waiting = slots.take(stopped.signal);
  stopped.abort();
  expect(await waiting).toBeUndefined();
  release();
  expect(await isGiven(slots.take(never))).toBe(true);
});

test("a slot is given back once, however often that is said", async () => {
  const slots = createSlots(() => 1);
  const release = (await slots.take(never))!;
  release();
  release();
  expect(await isGiven(slots.take(never))).toBe(true);
  expect(await isGiven(slots.take(never))).toBe(false);
});
