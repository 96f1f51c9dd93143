/** How long a page may take before the rest is left for the next one. Clients give up on calls: the strictest after 60 seconds. */
const PAGE_MS = 20_000;

export interface TimeLimit {
  isReached(): boolean;
}

export function startTimeLimit(now: () => number): TimeLimit {
  const endMs = now() + PAGE_MS;
  return { isReached: () => now() >= endMs };
}

/** How long a call may take, before it is given up: one session can be too large for any page. */
export const CALL_MS = 45_000;

/** The reason why a call was given up. */
export class CallTimeError extends Error {
  constructor(afterMs: number) {
    super(`The call was given up after ${Math.round(afterMs / 1_000)} s.`);
    this.name = "CallTimeError";
  }
}

/** The signal of a call, which is also aborted when its time is over. `end` stops the clock. */
export function limitCall(
  afterMs: number,
  signal: AbortSignal | undefined,
): { readonly signal: AbortSignal; end(): void } {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(new CallTimeError(afterMs)), afterMs);
  return {
    signal: signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]),
    end: () => clearTimeout(timer),
  };
}
