import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createWakeUp } from "./wake-up.ts";

/** The longest that a timer can wait: some 25 days. */
const NEVER_MS = 2 ** 31 - 1;

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bell-"));
  path = join(folder, "file");
  writeFileSync(path, "");
});
afterEach(() => rmSync(folder, { recursive: true }));

test("rings all that listen, without a poll, and none that has stopped", async () => {
  const wakeUp = createWakeUp(path, { pollMs: NEVER_MS });
  const rung = [0, 0];
  const listeners = rung.map((_, index) => wakeUp.listen(() => rung[index]!++));
  wakeUp.ring();
  await expect.poll(() => rung.every((count) => count > 0), { interval: 5 }).toBe(true);
  listeners[0]!.stop();
  const before = [...rung];
  // As another process would.
  createWakeUp(path, { pollMs: NEVER_MS }).ring();
  await expect.poll(() => rung[1]! - before[1]!, { interval: 5 }).toBeGreaterThan(0);
  expect(rung[0]).toBe(before[0]);
  listeners[1]!.stop();
});

/** Counts how often it is rung, and tells of the next time. */
function countRings() {
  let next = Promise.withResolvers<void>();
  const count = {
    rung: 0,
    onRing(): void {
      count.rung++;
      next.resolve();
    },
    next(): Promise<void> {
      next = Promise.withResolvers();
      return next.promise;
    },
  };
  return count;
}

describe("polls", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
  afterEach(() => void vi.useRealTimers());

  test("ring where nothing is told, and find a file that comes later", async () => {
    rmSync(path);
    const wakeUp = createWakeUp(path, { pollMs: 20 });
    wakeUp.ring();
    const count = countRings();
    const listening = wakeUp.listen(count.onRing);
    vi.advanceTimersByTime(60);
    expect(count.rung).toBe(3);
    writeFileSync(join(folder, "new"), "");
    renameSync(join(folder, "new"), path);
    vi.advanceTimersByTime(20);
    const told = count.next();
    wakeUp.ring();
    await told;
    listening.stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("find the file that has replaced the one before", async () => {
    const wakeUp = createWakeUp(path, { pollMs: 20 });
    const count = countRings();
    const listening = wakeUp.listen(count.onRing);
    const gone = count.next();
    writeFileSync(join(folder, "new"), "");
    renameSync(join(folder, "new"), path);
    await gone;
    // Whatever else the system tells of it comes in the same turn.
    await new Promise(setImmediate);
    vi.advanceTimersByTime(20);
    const told = count.next();
    wakeUp.ring();
    await told;
    listening.stop();
  });
});
