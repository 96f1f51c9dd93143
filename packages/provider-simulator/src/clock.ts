/** Time in milliseconds since the epoch. The only source of time in the simulator: cache lifetimes run on it. */
export interface Clock {
  now(): number;
}

/** A clock that moves only when told to, so that an hour of cache lifetime passes in a test without waiting. */
export interface ManualClock extends Clock {
  advance(byMs: number): void;
  set(toMs: number): void;
}

export const systemClock: Clock = { now: () => Date.now() };

export function manualClock(startMs = 0): ManualClock {
  let nowMs = startMs;
  return {
    now: () => nowMs,
    advance(byMs) {
      nowMs += byMs;
    },
    set(toMs) {
      nowMs = toMs;
    },
  };
}
