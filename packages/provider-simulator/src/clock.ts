/** Time in milliseconds since the epoch. The only source of time in the simulator: cache lifetimes run on it. */
export interface Clock {
  now(): number;
}

/** A clock that moves only when told to, so that an hour of cache lifetime passes in a test without waiting. */
export interface ManualClock extends Clock {
  advance(byMs: number): void;
  set(toMs: number): void;
  /**
   * A timer on this clock: resolves when the clock was moved so far, or as soon as the signal is aborted. `free`: nobody
   * waits for what it starts.
   */
  wait(ms: number, signal?: AbortSignal, process?: "held" | "free"): Promise<void>;
  /**
   * Moves on from timer to timer, so that each rings at its own time. After each that somebody waits for it stands still
   * until there is another, or until what goes on meanwhile has ended.
   */
  pass(byMs: number, meanwhile: Promise<unknown>): Promise<void>;
}

interface Timer {
  readonly atMs: number;
  readonly process: "held" | "free";
  ring(): void;
}

export const systemClock: Clock = { now: () => Date.now() };

export function manualClock(startMs = 0): ManualClock {
  let nowMs = startMs;
  let timers: readonly Timer[] = [];
  let started = Promise.withResolvers<void>();

  function moveTo(toMs: number): void {
    nowMs = toMs;
    for (const timer of timers.filter(({ atMs }) => atMs <= toMs)) timer.ring();
  }

  return {
    now: () => nowMs,
    advance: (byMs) => moveTo(nowMs + byMs),
    set: moveTo,
    wait(ms, signal, process = "held") {
      if (ms <= 0 || signal?.aborted) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer: Timer = {
        atMs: nowMs + ms,
        process,
        ring() {
          timers = timers.filter((one) => one !== timer);
          signal?.removeEventListener("abort", timer.ring);
          resolve();
        },
      };
      timers = [...timers, timer];
      signal?.addEventListener("abort", timer.ring);
      if (process === "held") started.resolve();
      return promise;
    },
    async pass(byMs, meanwhile) {
      const untilMs = nowMs + byMs;
      const ended = meanwhile.then(
        () => undefined,
        () => undefined,
      );
      if (timers.every(({ process }) => process === "free")) await Promise.race([started.promise, ended]);
      for (;;) {
        const nextMs = Math.min(...timers.map(({ atMs }) => atMs));
        if (nextMs > untilMs) break;
        started = Promise.withResolvers();
        const isAwaited = timers.some(({ atMs, process }) => atMs <= nextMs && process === "held");
        moveTo(nextMs);
        await (isAwaited ? Promise.race([started.promise, ended]) : Promise.resolve());
      }
      moveTo(untilMs);
    },
  };
}
