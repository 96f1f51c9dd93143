import { describe, expect, onTestFinished, test, vi } from "vitest";
import { watchCall, withTimers } from "./clock.ts";

/** A clock that runs as fast as it is waited for. */
function quickClock() {
  let nowMs = 0;
  return {
    now: () => nowMs,
    async wait(milliseconds: number) {
      await new Promise((resolve) => setImmediate(resolve));
      nowMs += milliseconds;
    },
  };
}

const never = (): Promise<never> => new Promise(() => {});
const signal = new AbortController().signal;

describe("watching a call", () => {
  test("hands on what it returns, and what it throws", async () => {
    const options = { clock: quickClock(), stallMs: 1_000, signal };
    expect(await watchCall(async () => 7, options)).toEqual({ kind: "done", result: 7 });
    const error = new Error("broken");
    expect(await watchCall(() => Promise.reject(error), options)).toEqual({ kind: "failed", error });
  });

  test("gives up one that says something for ever", async () => {
    const clock = quickClock();
    const watched = await watchCall(
      async (own, onData) => {
        while (!own.aborted) {
          onData();
          await new Promise((resolve) => setImmediate(resolve));
        }
      },
      { clock, stallMs: 100_000, deadlineMs: 250_000, signal },
    );
    expect(watched).toEqual({ kind: "too-late" });
    expect(clock.now()).toBe(250_000);
  });

  test("gives up one that says nothing, and tells it so", async () => {
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

  test("waits for one that goes on saying something", async () => {
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

  test("ends at once when it is aborted, whether the call takes notice or not", async () => {
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
