import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type BreakerEvent, type BreakerState, breakerAfter, CLOSED, mayTry, type Seen } from "./breaker.ts";

const MINUTE_MS = 60_000;
const START: Seen = { nowMs: 1_000_000, userMessages: 5, viewChangedAt: 40 };
const seen = (more: Partial<Seen> = {}): Seen => ({ ...START, ...more });
const after = (events: readonly BreakerEvent[], state: BreakerState = CLOSED): BreakerState =>
  events.reduce(breakerAfter, state);
const failed = (at: Seen = START): BreakerEvent => ({ kind: "failed", seen: at });
const OPEN = after([failed(), failed(), failed()]);

describe("the breaker", () => {
  test("opens after three failures in a row", () => {
    expect(mayTry(after([failed(), failed()]), START)).toBe(true);
    expect(OPEN).toEqual({ kind: "open", failures: 3, at: START });
    expect(mayTry(OPEN, START)).toBe(false);
  });

  test("a success resets it, an abort changes nothing", () => {
    expect(after([failed(), failed(), { kind: "succeeded" }, failed(), failed()]).kind).toBe("closed");
    expect(after([failed(), { kind: "aborted" }, failed()])).toEqual({ kind: "closed", failures: 2 });
    expect(after([{ kind: "started", seen: START }, { kind: "succeeded" }], OPEN)).toEqual(CLOSED);
  });

  test("lets one try through after ten minutes, or for a new user message with a changed view", () => {
    expect(mayTry(OPEN, seen({ nowMs: START.nowMs + 10 * MINUTE_MS - 1 }))).toBe(false);
    expect(mayTry(OPEN, seen({ nowMs: START.nowMs + 10 * MINUTE_MS }))).toBe(true);
    expect(mayTry(OPEN, seen({ userMessages: 6 }))).toBe(false);
    expect(mayTry(OPEN, seen({ viewChangedAt: 41 }))).toBe(false);
    expect(mayTry(OPEN, seen({ userMessages: 6, viewChangedAt: 41 }))).toBe(true);
    expect(mayTry(OPEN, seen({ nowMs: 0 }))).toBe(true);
  });

  test("while that one runs, or if it died, there is no other for as long; a failure opens it again", () => {
    const later = seen({ nowMs: START.nowMs + 11 * MINUTE_MS });
    const trying = breakerAfter(OPEN, { kind: "started", seen: later });
    expect(trying.kind).toBe("half-open");
    expect(mayTry(trying, seen({ nowMs: later.nowMs + 1 }))).toBe(false);
    expect(mayTry(trying, seen({ nowMs: later.nowMs + 10 * MINUTE_MS }))).toBe(true);
    expect(breakerAfter(trying, failed(later))).toEqual({ kind: "open", failures: 4, at: later });
    expect(mayTry(breakerAfter(trying, { kind: "aborted" }), later)).toBe(true);
  });

  test("failures that follow each other cost at most three tries and one for each ten minutes, resumed or not", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5 * MINUTE_MS), { minLength: 1, maxLength: 200 }), (waits) => {
        let state: BreakerState = CLOSED;
        let nowMs = 0;
        let tries = 0;
        for (const wait of waits) {
          nowMs += wait;
          state = JSON.parse(JSON.stringify(state)) as BreakerState;
          if (!mayTry(state, seen({ nowMs }))) continue;
          tries++;
          state = after([{ kind: "started", seen: seen({ nowMs }) }, failed(seen({ nowMs }))], state);
        }
        expect(tries).toBeLessThanOrEqual(3 + Math.floor(nowMs / (10 * MINUTE_MS)));
      }),
    );
  });
});
