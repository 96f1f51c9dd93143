/** A clock that runs through a recording: it stands still until it is told how far to go. */
export interface RecordedClock {
  now(): number;
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /** Goes from timer to timer; at each it stands still until all that was set off has come to rest. */
  advanceTo(atMs: number): Promise<void>;
}

interface Timer {
  readonly atMs: number;
  ring(): void;
}

/** @param atRest resolves when nothing goes on any more but waiting */
export function recordedClock(startMs: number, atRest: () => Promise<void>): RecordedClock {
  let nowMs = startMs;
  const timers = new Set<Timer>();
  return {
    now: () => nowMs,
    wait(ms, signal) {
      if (ms <= 0 || signal?.aborted) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer: Timer = {
        atMs: nowMs + ms,
        ring() {
          timers.delete(timer);
          signal?.removeEventListener("abort", timer.ring);
          resolve();
        },
      };
      timers.add(timer);
      signal?.addEventListener("abort", timer.ring);
      return promise;
    },
    async advanceTo(atMs) {
      for (;;) {
        const next = [...timers].reduce<Timer | undefined>(
          (first, timer) => (first === undefined || timer.atMs < first.atMs ? timer : first),
          undefined,
        );
        if (next === undefined || next.atMs > atMs) break;
        nowMs = Math.max(nowMs, next.atMs);
        next.ring();
        await atRest();
      }
      nowMs = Math.max(nowMs, atMs);
    },
  };
}
