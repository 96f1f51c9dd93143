import { expect } from "vitest";

/** Waits, because a file that changes less than 50 ms before or after a command may have been changed by the command. */
export async function settle(): Promise<void> {
  const startedMs = Date.now();
  await expect.poll(() => Date.now() - startedMs, { interval: 20 }).toBeGreaterThan(120);
}
