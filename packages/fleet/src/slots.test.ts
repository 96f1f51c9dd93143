import { expect, test } from "vitest";
import { createSlots } from "./slots.ts";

const PATIENT_MS = 60_000;

test("whoever was sent first gets the next slot, however late it asks", async () => {
  const slots = createSlots(1);
  const got: number[] = [];
  const ask = async (order: number): Promise<void> => {
    if ((await slots.take({ order, withinMs: PATIENT_MS })) === "taken") got.push(order);
  };
  await ask(5);
  const asked = [ask(9), ask(7), ask(8)];
  for (let freed = 0; freed < 3; freed++) {
    slots.free();
    await new Promise(setImmediate);
  }
  await Promise.all(asked);
  expect(got).toEqual([5, 7, 8, 9]);
});

test("no more than there are slots", async () => {
  const slots = createSlots(2);
  const outcomes = await Promise.all([1, 2, 3].map((order) => slots.take({ order, withinMs: 5 })));
  expect(outcomes).toEqual(["taken", "taken", "full"]);
  slots.free();
  expect(await slots.take({ order: 4, withinMs: 5 })).toBe("taken");
  expect(await slots.take({ order: 5, withinMs: 5 })).toBe("full");
});

test("a worker that leaves lets nobody wait", async () => {
  const slots = createSlots(1);
  await slots.take({ order: 1, withinMs: PATIENT_MS });
  const waiting = slots.take({ order: 2, withinMs: PATIENT_MS });
  slots.close();
  slots.free();
  expect([await waiting, await slots.take({ order: 3, withinMs: PATIENT_MS })]).toEqual(["full", "full"]);
});
