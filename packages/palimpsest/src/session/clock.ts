import { setTimeout } from "node:timers/promises";

/** Where a session takes the time from. */
export interface Clock {
  now(): number;
  /** Resolves after this time, or as soon as the signal is aborted. @default the system's timers */
  wait?(ms: number, signal: AbortSignal): Promise<void>;
}

export const SYSTEM_CLOCK: Required<Clock> = {
  now: Date.now,
  async wait(ms, signal) {
    try {
      await setTimeout(ms, undefined, { signal });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  },
};
