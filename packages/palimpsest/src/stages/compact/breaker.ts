/** Keeps a summary that fails from being tried for ever. It is kept in the log, so it is plain JSON. */
export type BreakerState =
  | { readonly kind: "closed"; readonly failures: number }
  /** `at`: what was seen when it opened. */
  | { readonly kind: "open"; readonly failures: number; readonly at: Seen }
  /** One try is under way. `tried`: what was seen when it began, in case nobody tells how it ended. */
  | { readonly kind: "half-open"; readonly failures: number; readonly at: Seen; readonly tried: Seen };

/** What can make another try worth it. */
export interface Seen {
  readonly nowMs: number;
  /** How many the user has sent. */
  readonly userMessages: number;
  /** The entry at which the view was last changed. */
  readonly viewChangedAt: number;
}

export type BreakerEvent =
  | { readonly kind: "started"; readonly seen: Seen }
  | { readonly kind: "failed"; readonly seen: Seen }
  | { readonly kind: "succeeded" }
  /** By the user: no failure, and the try is given back. */
  | { readonly kind: "aborted" };

export const CLOSED: BreakerState = { kind: "closed", failures: 0 };

/** In a row. Sessions without such a limit have failed thousands of times in a row. */
const FAILURES_TO_OPEN = 3;
const WAIT_MS = 10 * 60 * 1000;

export function breakerAfter(state: BreakerState, event: BreakerEvent): BreakerState {
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
      const opens = state.kind !== "closed" || failures >= FAILURES_TO_OPEN;
      return opens ? { kind: "open", failures, at: event.seen } : { kind: "closed", failures };
    }
  }
}

/** Whether a model may be asked for a summary now. What needs no model is always possible. */
export function mayTry(state: BreakerState, seen: Seen): boolean {
  switch (state.kind) {
    case "closed":
      return true;
    case "open":
      return isWorthIt(state.at, seen);
    case "half-open":
      return isWorthIt(state.tried, seen);
  }
}

function isWorthIt(before: Seen, now: Seen): boolean {
  const elapsedMs = now.nowMs - before.nowMs;
  // A clock that was set back would make it wait for years.
  if (elapsedMs >= WAIT_MS || elapsedMs < 0) return true;
  return now.userMessages > before.userMessages && now.viewChangedAt !== before.viewChangedAt;
}
