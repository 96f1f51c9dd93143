/** A circuit breaker that stops repeated tries of a failing summary. It is stored in the log, so it is plain JSON. */
export type BreakerState =
  | { readonly kind: "closed"; readonly failures: number }
  /** `at`: the state when it opened. */
  | { readonly kind: "open"; readonly failures: number; readonly at: Seen }
  /** One try is running. `tried`: the state when it began, in case its end is never reported. */
  | { readonly kind: "half-open"; readonly failures: number; readonly at: Seen; readonly tried: Seen };

/** Changes that can make another try worthwhile. */
export interface Seen {
  readonly nowMs: number;
  /** The number of the user's messages. */
  readonly userMessages: number;
  /** The entry that last changed the view. */
  readonly viewChangedAt: number;
}

export type BreakerEvent =
  | { readonly kind: "started"; readonly seen: Seen }
  | { readonly kind: "failed"; readonly seen: Seen }
  | { readonly kind: "succeeded" }
  /** Canceled by the user: no failure, and the try is given back. */
  | { readonly kind: "aborted" };

export const CLOSED: BreakerState = { kind: "closed", failures: 0 };

/** When a breaker opens, and when it allows another try. */
export interface BreakerRule {
  /** Failures in a row. Sessions without such a limit have failed thousands of times in a row. */
  readonly failuresToOpen: number;
  /** How long it stays open after that many failures in a row. */
  readonly waitMs: (failures: number) => number;
  /** `tries`: a new message of the user with a changed view allows an earlier try. */
  readonly userMessage: "tries" | "waits";
}

const MINUTE_MS = 60_000;

/** For compactions that the window needs or the user has requested. */
export const WINDOW_BREAKER: BreakerRule = {
  failuresToOpen: 3,
  waitMs: () => 10 * MINUTE_MS,
  userMessage: "tries",
};

/** For compactions that only save money: a failed one saves nothing, so the next one waits, longer each time. */
export const ECONOMIC_BREAKER: BreakerRule = {
  failuresToOpen: 1,
  waitMs: (failures) => 10 * MINUTE_MS * 2 ** Math.min(4, failures - 1),
  userMessage: "waits",
};

export function breakerAfter(
  state: BreakerState,
  event: BreakerEvent,
  rule: BreakerRule = WINDOW_BREAKER,
): BreakerState {
  switch (event.kind) {
    case "succeeded":
      return CLOSED;
    case "aborted":
      return state.kind === "half-open" ? { kind: "open", failures: state.failures, at: state.at } : state;
    case "started":
      return state.kind === "closed"
        ? state
        : { kind: "half-open", failures: state.failures, at: state.at, tried: event.seen };
    case "failed": {
      const failures = state.failures + 1;
      const opens = state.kind !== "closed" || failures >= rule.failuresToOpen;
      return opens ? { kind: "open", failures, at: event.seen } : { kind: "closed", failures };
    }
  }
}

/** Whether a model may be asked for a summary now. A compaction without a model is always possible. */
export function mayTry(state: BreakerState, seen: Seen, rule: BreakerRule = WINDOW_BREAKER): boolean {
  if (state.kind === "closed") return true;
  const before = state.kind === "open" ? state.at : state.tried;
  const elapsedMs = seen.nowMs - before.nowMs;
  // Without this, a clock that was set back would make it wait for years.
  if (elapsedMs >= rule.waitMs(state.failures) || elapsedMs < 0) return true;
  if (rule.userMessage === "waits") return false;
  return seen.userMessages > before.userMessages && seen.viewChangedAt !== before.viewChangedAt;
}

/** Returns when an open breaker allows the next try by itself; undefined if it is not open. */
export function retryAtMs(state: BreakerState, rule: BreakerRule): number | undefined {
  return state.kind === "open" ? state.at.nowMs + rule.waitMs(state.failures) : undefined;
}
