import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createWakeUp } from "./wake-up.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bell-"));
  path = join(folder, "file");
  writeFileSync(path, "");
});
afterEach(() => rmSync(folder, { recursive: true }));

const within = async (ms: number, isTrue: () => boolean): Promise<boolean> => {
  for (const endMs = performance.now() + ms; !isTrue() && performance.now() < endMs; ) await sleep(5);
  return isTrue();
};

test("rings all that listen, long before the next poll, and none that has stopped", async () => {
  const wakeUp = createWakeUp(path, { pollMs: 60_000 });
  const rung = [0, 0];
  const listeners = rung.map((_, index) => wakeUp.listen(() => rung[index]!++));
  wakeUp.ring();
  expect(await within(5_000, () => rung.every((count) => count > 0))).toBe(true);
  listeners[0]!.stop();
  const before = [...rung];
  // As another process would.
  createWakeUp(path, { pollMs: 60_000 }).ring();
  expect(await within(5_000, () => rung[1]! > before[1]!)).toBe(true);
  expect(rung[0]).toBe(before[0]);
  listeners[1]!.stop();
});

test("rings by itself where nothing is told, and finds a file that comes later or is replaced", async () => {
  rmSync(path);
  const wakeUp = createWakeUp(path, { pollMs: 20 });
  wakeUp.ring();
  let rung = 0;
  const listening = wakeUp.listen(() => rung++);
  expect(await within(5_000, () => rung > 2)).toBe(true);
  writeFileSync(join(folder, "new"), "");
  renameSync(join(folder, "new"), path);
  rung = 0;
  expect(await within(5_000, () => rung > 2)).toBe(true);
  listening.stop();
  await sleep(50);
  rung = 0;
  await sleep(100);
  expect(rung).toBe(0);
});
