import { setTimeout as wait } from "node:timers/promises";

/** Tries again while the database is away: for what may be said twice, because it has a key. */
export async function insist<T>(work: () => Promise<T>, withinMs = 60_000): Promise<T> {
  const endMs = Date.now() + withinMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (Date.now() > endMs) throw error;
      await wait(100);
    }
  }
}

/** Waits for a condition; whether it came about in time. */
export async function waitUntil(condition: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
  const endMs = Date.now() + withinMs;
  while (!(await insist(async () => condition()))) {
    if (Date.now() > endMs) return false;
    await wait(50);
  }
  return true;
}
