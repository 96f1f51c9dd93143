import { createTimers } from "./timers.ts";

/** Time in milliseconds since the epoch. The only source of time in the simulator: cache lifetimes run on it. */
export interface Clock {
  now(): number;
}

/** A clock that moves only on request, so that an hour of cache lifetime passes in a test without waiting. */
export interface ManualClock extends Clock {
  advance(byMs: number): void;
  set(toMs: number): void;
  /**
   * A timer on this clock: resolves when the clock reaches its time, or as soon as the signal is aborted. `free`:
   * nobody waits for the work it starts.
   */
  wait(ms: number, signal?: AbortSignal, process?: "held" | "free"): Promise<void>;
  /**
   * Advances from timer to timer, so that each fires at its own time. After each timer that somebody waits for, the
   * clock stands still until there is another, or until `meanwhile` has settled.
   */
  pass(byMs: number, meanwhile: Promise<unknown>): Promise<void>;
}

/** The clock of the machine. */
export const systemClock: Clock = { now: () => Date.now() };

/** A clock that stands still until a test moves it. */
export function manualClock(startMs = 0): ManualClock {
  let nowMs = startMs;
  const timers = createTimers<{ readonly atMs: number; readonly process: "held" | "free" }>();
  let started = Promise.withResolvers<void>();

  function moveTo(toMs: number): void {
    nowMs = toMs;
    for (const timer of timers.pending().filter(({ atMs }) => atMs <= toMs)) timer.ring();
  }

  return {
    now: () => nowMs,
    advance: (byMs) => moveTo(nowMs + byMs),
    set: moveTo,
    wait(ms, signal, process = "held") {
      if (ms <= 0 || signal?.aborted) return Promise.resolve();
      const rung = timers.set({ atMs: nowMs + ms, process }, signal);
      if (process === "held") started.resolve();
      return rung;
    },
    async pass(byMs, meanwhile) {
      const untilMs = nowMs + byMs;
      const ended = meanwhile.then(
        () => undefined,
        () => undefined,
      );
      if (timers.pending().every(({ process }) => process === "free")) await Promise.race([started.promise, ended]);
      for (;;) {
        const nextMs = Math.min(...timers.pending().map(({ atMs }) => atMs));
        if (nextMs > untilMs) break;
        started = Promise.withResolvers();
        const isAwaited = timers.pending().some(({ atMs, process }) => atMs <= nextMs && process === "held");
        moveTo(nextMs);
        await (isAwaited ? Promise.race([started.promise, ended]) : Promise.resolve());
      }
      moveTo(untilMs);
    },
  };
}
