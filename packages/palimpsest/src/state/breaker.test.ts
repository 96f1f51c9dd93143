import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type BreakerEvent,
  type BreakerState,
  breakerAfter,
  CLOSED,
  ECONOMIC_BREAKER,
  mayTry,
  retryAtMs,
  type Seen,
} from "./carried.ts";

const MINUTE_MS = 60_000;
const START: Seen = { nowMs: 1_000_000, userMessages: 5, viewChangedAt: 40 };
const seen = (more: Partial<Seen> = {}): Seen => ({ ...START, ...more });
const after = (events: readonly BreakerEvent[], state: BreakerState = CLOSED): BreakerState =>
  events.reduce((before, event) => breakerAfter(before, event), state);
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

  test("of economic compactions: opens at the first failure, waits longer each time, whatever the user says", () => {
    let state: BreakerState = CLOSED;
    let nowMs = START.nowMs;
    const waits: number[] = [];
    for (let failures = 1; failures <= 7; failures++) {
      state = breakerAfter(state, failed(seen({ nowMs })), ECONOMIC_BREAKER);
      const retryMs = retryAtMs(state, ECONOMIC_BREAKER)!;
      waits.push((retryMs - nowMs) / MINUTE_MS);
      const spoken = { userMessages: 5 + failures, viewChangedAt: 40 + failures };
      expect(mayTry(state, seen({ ...spoken, nowMs: retryMs - 1 }), ECONOMIC_BREAKER)).toBe(false);
      expect(mayTry(state, seen({ nowMs: retryMs }), ECONOMIC_BREAKER)).toBe(true);
      nowMs = retryMs;
    }
    expect(waits).toEqual([10, 20, 40, 80, 160, 160, 160]);
    expect(retryAtMs(CLOSED, ECONOMIC_BREAKER)).toBeUndefined();
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
