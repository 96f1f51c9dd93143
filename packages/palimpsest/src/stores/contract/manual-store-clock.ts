/** The clock of a store that is turned by hand: that of `sqliteStore`, or of a store in another package. */
export interface ManualStoreClock {
  now(): number;
  repeat(everyMs: number, work: () => void | Promise<void>): () => void;
  /** Time passes, and what is due runs. */
  advance(byMs: number): Promise<void>;
  /** Time passes, and nothing runs. */
  stall(byMs: number): void;
}

/** Creates a clock that is turned by hand, with timers whose work is awaited. */
export function manualStoreClock(): ManualStoreClock {
  let nowMs = 1_700_000_000_000;
  const repeated = new Set<{ readonly everyMs: number; dueAtMs: number; readonly work: () => void | Promise<void> }>();
  return {
    now: () => nowMs,
    repeat(everyMs, work) {
      const one = { everyMs, dueAtMs: nowMs + everyMs, work };
      repeated.add(one);
      return () => void repeated.delete(one);
    },
    async advance(byMs) {
      const endMs = nowMs + byMs;
      for (;;) {
        const [next] = [...repeated].filter(({ dueAtMs }) => dueAtMs <= endMs).sort((a, b) => a.dueAtMs - b.dueAtMs);
        if (next === undefined) break;
        nowMs = Math.max(nowMs, next.dueAtMs);
        next.dueAtMs = nowMs + next.everyMs;
        await next.work();
      }
      nowMs = endMs;
    },
    stall(byMs) {
      nowMs += byMs;
    },
  };
}
