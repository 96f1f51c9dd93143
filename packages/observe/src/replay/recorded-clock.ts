import { createTimers } from "@palimpsest/provider-simulator";

/** A clock that runs through a recording: it moves only when it is told to. */
export interface RecordedClock {
  now(): number;
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /** Moves from timer to timer; at each it waits until all triggered work has settled. */
  advanceTo(atMs: number): Promise<void>;
}

/** @param atRest resolves when nothing is running but waiting */
export function recordedClock(startMs: number, atRest: () => Promise<void>): RecordedClock {
  let nowMs = startMs;
  const timers = createTimers();
  return {
    now: () => nowMs,
    wait(ms, signal) {
      if (ms <= 0 || signal?.aborted) return Promise.resolve();
      return timers.set({ atMs: nowMs + ms }, signal);
    },
    async advanceTo(atMs) {
      for (;;) {
        // A stable sort: of timers for the same time, the one that was set first.
        const [next] = timers.pending().toSorted((left, right) => left.atMs - right.atMs);
        if (next === undefined || next.atMs > atMs) break;
        nowMs = Math.max(nowMs, next.atMs);
        next.ring();
        await atRest();
      }
      nowMs = Math.max(nowMs, atMs);
    },
  };
}
