import { createTimers } from "./timers.ts";

/** A clock that stands still while work is going on, and advances to the next timer when nothing happens. */
export interface IdleClock {
  now(): number;
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

/** This many turns of the event loop without a new timer count as idle. */
const IDLE_TURNS = 3;

/** Creates a clock on which hours pass at once, and slow computation is never mistaken for a hang. */
export function idleClock(startMs = 0): IdleClock {
  let nowMs = startMs;
  const timers = createTimers();
  let isWatched = false;

  function watch(idleTurns = 0): void {
    const pending = timers.pending();
    isWatched = pending.length > 0;
    if (!isWatched) return;
    if (idleTurns < IDLE_TURNS) {
      setImmediate(watch, idleTurns + 1);
      return;
    }
    nowMs = Math.max(nowMs, Math.min(...pending.map(({ atMs }) => atMs)));
    for (const timer of pending) if (timer.atMs <= nowMs) timer.ring();
    watch();
  }

  return {
    now: () => nowMs,
    wait(ms, signal) {
      if (ms <= 0 || signal?.aborted) return Promise.resolve();
      const rung = timers.set({ atMs: nowMs + ms }, signal);
      if (!isWatched) watch();
      return rung;
    },
  };
}
