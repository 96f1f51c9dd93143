import type { Run } from "@palimpsest/coordination";
import { expect, onTestFinished, test, vi } from "vitest";
import { runOnce } from "./run-once.ts";

test("a process that slept asks whether it still has its run before it says so, and others do not", async () => {
  let state: "held" | "lost" = "held";
  let renewals = 0;
  const run: Run = {
    tenant: "t",
    session: "s",
    number: 1,
    attempt: 1,
    reminders: [],
    renew: async () => {
      renewals++;
      return state;
    },
    finish: async () => "finished",
    fail: async () => "waiting",
    release: async () => "lost",
  };
  const [renewEveryMs, left] = [60_000, new AbortController()];
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const outcome = await runOnce(
    run,
    async ({ isHeld }) => {
      expect([await isHeld(), renewals]).toEqual([true, 0]);
      state = "lost";
      // As if the machine had stood still: no timer has run.
      vi.advanceTimersByTime(2.5 * renewEveryMs);
      expect([await isHeld(), renewals]).toEqual([false, 1]);
      return { kind: "left" };
    },
    { left, renewEveryMs },
  );
  expect([outcome, left.signal.aborted]).toEqual(["lost", true]);
});
