import { setTimeout } from "node:timers/promises";

/** Where a session takes the time from. */
export interface Clock {
  now(): number;
  /** Resolves after this time, or as soon as the signal is aborted. @default the system's timers */
  wait?(ms: number, signal: AbortSignal): Promise<void>;
}

const SYSTEM_CLOCK: Required<Clock> = {
  now: Date.now,
  async wait(ms, signal) {
    try {
      await setTimeout(ms, undefined, { signal });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  },
};

/** A clock whose timers are the system's, unless it has its own. */
export function withTimers(clock: Clock = SYSTEM_CLOCK): Required<Clock> {
  return {
    now: () => clock.now(),
    wait: (ms, signal) => clock.wait?.(ms, signal) ?? SYSTEM_CLOCK.wait(ms, signal),
  };
}
