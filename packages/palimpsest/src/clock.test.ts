import { setImmediate } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { watchCall, withTimers } from "./clock.ts";

test("ends a wait if its signal is aborted, also before the wait", async () => {
  const { wait } = withTimers({ now: () => 0 });
  const aborting = new AbortController();
  let state = "waiting";
  void wait(60_000, aborting.signal, "free").then(() => (state = "over"));
  await setImmediate();
  expect(state).toBe("waiting");
  aborting.abort();
  await setImmediate();
  expect(state).toBe("over");
  await wait(60_000, aborting.signal, "free");
});

/** A clock that runs as fast as it is waited for. */
function quickClock() {
  let nowMs = 0;
  return {
    now: () => nowMs,
    async wait(milliseconds: number) {
      await setImmediate();
      nowMs += milliseconds;
    },
  };
}

const never = (): Promise<never> => new Promise(() => {});
const signal = new AbortController().signal;

describe("watchCall", () => {
  test("returns the result of the call, or its error", async () => {
    const options = { clock: quickClock(), stallMs: 1_000, signal };
    expect(await watchCall(async () => 7, options)).toEqual({ kind: "done", result: 7 });
    const error = new Error("broken");
    expect(await watchCall(() => Promise.reject(error), options)).toEqual({ kind: "failed", error });
  });

  test("stops at the deadline although data arrives", async () => {
    const clock = quickClock();
    const watched = await watchCall(
      async (own, onData) => {
        while (!own.aborted) {
          onData();
          await setImmediate();
        }
      },
      { clock, stallMs: 100_000, deadlineMs: 250_000, signal },
    );
    expect(watched).toEqual({ kind: "too-late" });
    expect(clock.now()).toBe(250_000);
  });

  test("stops a call without data, and aborts its signal", async () => {
    const clock = quickClock();
    let emitted: AbortSignal | undefined;
    const alive: number[] = [];
    const run = (own: AbortSignal): Promise<never> => {
      emitted = own;
      return never();
    };
    const watched = await watchCall(run, { clock, stallMs: 100_000, signal, onAlive: () => alive.push(clock.now()) });
    expect(watched).toEqual({ kind: "stalled" });
    expect(emitted?.aborted).toBe(true);
    expect(alive).toEqual([30_000, 60_000, 90_000, 100_000]);
  });

  test("waits for a call that keeps sending data", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const clock = withTimers();
    const run = async (own: AbortSignal, onData: () => void): Promise<string> => {
      for (let piece = 0; piece < 10; piece++) {
        await clock.wait(100, own);
        onData();
      }
      return "done";
    };
    const watched = watchCall(run, { clock, stallMs: 600, signal });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await watched).toEqual({ kind: "done", result: "done" });
  });

  test("ends at once on abort, even if the call ignores the signal", async () => {
    const controller = new AbortController();
    // The clock stands still: nothing but the abort ends the call.
    const clock = { now: () => 0, wait: never };
    const options = { clock, stallMs: 60_000, signal: controller.signal };
    const watched = watchCall(never, options);
    controller.abort();
    expect(await watched).toEqual({ kind: "aborted" });
    expect(await watchCall(never, options)).toEqual({ kind: "aborted" });
  });
});
