/** Where a session takes the time from. */
export interface Clock {
  now(): number;
  /**
   * Resolves after this time, or as soon as the signal is aborted. `process`: whether the process is kept alive for it.
   * @default the system's timers
   */
  wait?(ms: number, signal: AbortSignal, process?: "held" | "free"): Promise<void>;
}

const SYSTEM_CLOCK: Required<Clock> = {
  now: Date.now,
  // The promise of node:timers would make an error each time that a wait is cut short.
  wait: (ms, signal, process = "held") =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const timer = setTimeout(over, ms);
      // Only Node has processes that a timer keeps alive.
      if (process === "free") timer.unref?.();
      signal.addEventListener("abort", over, { once: true });
      function over(): void {
        clearTimeout(timer);
        signal.removeEventListener("abort", over);
        resolve();
      }
    }),
};

/** A clock whose timers are the system's, unless it has its own. */
export function withTimers(clock: Clock = SYSTEM_CLOCK): Required<Clock> {
  return {
    now: () => clock.now(),
    wait: (ms, signal, process) => clock.wait?.(ms, signal, process) ?? SYSTEM_CLOCK.wait(ms, signal, process),
  };
}
