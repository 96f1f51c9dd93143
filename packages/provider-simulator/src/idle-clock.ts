import { createTimers } from "./timers.ts";

/** A clock that stands still while something happens, and moves on to the next timer when nothing does. */
export interface IdleClock {
  now(): number;
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

/** So many turns of the event loop without a new timer count as nothing happening. */
const IDLE_TURNS = 3;

/** Hours pass in no time, and nothing that is merely slow to compute is taken for something that hangs. */
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
