import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { USUAL_COSTS } from "../../cost/ledger.ts";
import type { Pause, PauseActivity } from "../policy.ts";
import { type KeepWarmNumbers, keepWarm, pingDueAtMs } from "./keep-warm.ts";

const MINUTE_MS = 60_000;
const UNLIMITED: KeepWarmNumbers = { whileToolRuns: 1_000, whileWaiting: 1_000, capUsd: 1_000 };
const pause: Pause = {
  activity: "waiting",
  sinceMs: 0,
  refreshedAtMs: 0,
  lifetimeMs: 5 * MINUTE_MS,
  prefixTokens: 100_000,
  costs: { ...USUAL_COSTS, usdPerUnit: 4e-6 },
  pings: 0,
  spentUsd: 0,
  nowMs: 0,
};

/** Returns the number of pings in a pause that never ends. */
function pingsOf(activity: PauseActivity, more: Partial<Pause> = {}, limits = UNLIMITED): number {
  let now: Pause = { ...pause, activity, ...more };
  for (;;) {
    if (keepWarm(limits).obstacle(now) !== undefined) return now.pings;
    const dueAtMs = pingDueAtMs(now);
    const spentUsd = now.spentUsd + now.prefixTokens * now.costs.read * now.costs.usdPerUnit!;
    now = { ...now, pings: now.pings + 1, spentUsd, refreshedAtMs: dueAtMs, nowMs: dueAtMs };
  }
}

describe("a ping", () => {
  test("is due shortly before the cache expires", () => {
    expect(pingDueAtMs(pause)).toBe(4.5 * MINUTE_MS);
    expect(pingDueAtMs({ ...pause, lifetimeMs: 60 * MINUTE_MS })).toBe(59.5 * MINUTE_MS);
    expect(pingDueAtMs({ ...pause, refreshedAtMs: 7 * MINUTE_MS })).toBe(11.5 * MINUTE_MS);
  });

  test("pays if a read costs less than a write times the probability of a return in time", () => {
    const obstacle = (read: number) => keepWarm(UNLIMITED).obstacle({ ...pause, costs: { ...pause.costs, read } });
    expect(obstacle(0.2)).toBeUndefined();
    expect(obstacle(0.3)).toMatch(/a ping does not pay: .* a probability of 2\d%$/);
  });

  test("pays off about as often as in recorded sessions: 2 or 3 times for a user, 11 times for a tool", () => {
    expect(pingsOf("waiting")).toBeGreaterThanOrEqual(2);
    expect(pingsOf("waiting")).toBeLessThanOrEqual(4);
    expect(pingsOf("tool-runs")).toBeGreaterThanOrEqual(10);
    expect(pingsOf("tool-runs")).toBeLessThanOrEqual(13);
    const hour = { lifetimeMs: 60 * MINUTE_MS, costs: { ...pause.costs, write: 2 } };
    expect(pingsOf("waiting", hour)).toBeGreaterThanOrEqual(1);
  });

  test("pays off longer if reads are cheaper", () => {
    const costs = { ...pause.costs, read: 0.025 };
    expect(pingsOf("waiting", { costs })).toBeGreaterThan(10);
  });

  test("is not sent above its limits, or without known prices", () => {
    expect(pingsOf("tool-runs", {}, { ...UNLIMITED, whileToolRuns: 4 })).toBe(4);
    // Each ping costs 4 cents.
    expect(pingsOf("tool-runs", {}, { ...UNLIMITED, whileToolRuns: 11, capUsd: 0.1 })).toBe(2);
    expect(keepWarm(UNLIMITED).obstacle({ ...pause, costs: USUAL_COSTS })).toMatch(/prices are unknown/);
  });

  test("never exceeds a limit in any sequence", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("tool-runs" as const, "waiting" as const),
        fc.integer({ min: 0, max: 20 }),
        fc.double({ min: 0, max: 2, noNaN: true }),
        fc.integer({ min: 1, max: 500_000 }),
        (activity, pings, capUsd, prefixTokens) => {
          const sent = pingsOf(activity, { prefixTokens }, { whileToolRuns: pings, whileWaiting: pings, capUsd });
          expect(sent).toBeLessThanOrEqual(pings);
          expect(sent * prefixTokens * 0.1 * 4e-6).toBeLessThanOrEqual(capUsd + 1e-9);
        },
      ),
    );
  });
});
