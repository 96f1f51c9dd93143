import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { USUAL_COSTS } from "../cost/prices.ts";
import { decide } from "../policy/decide.ts";
import { type Pause, type PauseActivity, type PingLimits, planPing } from "./keep-warm.ts";

const MINUTE_MS = 60_000;
const UNLIMITED: PingLimits = { pings: 1_000, capUsd: 1_000 };
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

/** How many pings a pause gets that never ends. */
function pingsOf(activity: PauseActivity, more: Partial<Pause> = {}, limits = UNLIMITED): number {
  let now: Pause = { ...pause, activity, ...more };
  for (;;) {
    const { candidate, dueAtMs } = planPing(now, limits);
    if (decide([candidate]).kind === "nothing") return now.pings;
    const spentUsd = now.spentUsd + candidate.cost * candidate.usdPerUnit!;
    now = { ...now, pings: now.pings + 1, spentUsd, refreshedAtMs: dueAtMs, nowMs: dueAtMs };
  }
}

describe("a ping", () => {
  test("is due shortly before the prompt is forgotten", () => {
    expect(planPing(pause, UNLIMITED).dueAtMs).toBe(4.5 * MINUTE_MS);
    expect(planPing({ ...pause, lifetimeMs: 60 * MINUTE_MS }, UNLIMITED).dueAtMs).toBe(59.5 * MINUTE_MS);
    expect(planPing({ ...pause, refreshedAtMs: 7 * MINUTE_MS }, UNLIMITED).dueAtMs).toBe(11.5 * MINUTE_MS);
  });

  test("costs a read, and saves a write as often as somebody comes in time", () => {
    const { cost, gain, because } = planPing(pause, UNLIMITED).candidate;
    expect(cost).toBeCloseTo(10_000);
    expect(gain / (100_000 * 1.15)).toBeCloseTo(0.23, 1);
    expect(because).toMatch(/a chance of 2\d%$/);
  });

  test("pays about as often as the recorded sessions say: 2 or 3 times for a user, 11 times for a tool", () => {
    expect(pingsOf("waiting")).toBeGreaterThanOrEqual(2);
    expect(pingsOf("waiting")).toBeLessThanOrEqual(4);
    expect(pingsOf("tool-runs")).toBeGreaterThanOrEqual(10);
    expect(pingsOf("tool-runs")).toBeLessThanOrEqual(13);
    const hour = { lifetimeMs: 60 * MINUTE_MS, costs: { ...pause.costs, write: 2 } };
    expect(pingsOf("waiting", hour)).toBeGreaterThanOrEqual(1);
  });

  test("pays longer where reads are cheaper", () => {
    const costs = { ...pause.costs, read: 0.025 };
    expect(pingsOf("waiting", { costs })).toBeGreaterThan(10);
  });

  test("is not sent beyond its caps, to a cold cache, to an empty one, or where nobody knows the price", () => {
    expect(pingsOf("tool-runs", {}, { pings: 4, capUsd: 1_000 })).toBe(4);
    // One costs 4 cents.
    expect(pingsOf("tool-runs", {}, { pings: 11, capUsd: 0.1 })).toBe(2);
    const why = (more: Partial<Pause>): string => decide([planPing({ ...pause, ...more }, UNLIMITED).candidate]).reason;
    expect(why({ nowMs: 5 * MINUTE_MS })).toBe("no keep-warm: the cache is cold already");
    expect(why({ prefixTokens: 0 })).toBe("no keep-warm: nothing is in the cache");
    expect(why({ costs: USUAL_COSTS })).toMatch(/prices are not known/);
  });

  test("no sequence of pings goes over a cap", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("tool-runs" as const, "waiting" as const),
        fc.integer({ min: 0, max: 20 }),
        fc.double({ min: 0, max: 2, noNaN: true }),
        fc.integer({ min: 1, max: 500_000 }),
        (activity, pings, capUsd, prefixTokens) => {
          const sent = pingsOf(activity, { prefixTokens }, { pings, capUsd });
          expect(sent).toBeLessThanOrEqual(pings);
          expect(sent * prefixTokens * 0.1 * 4e-6).toBeLessThanOrEqual(capUsd + 1e-9);
        },
      ),
    );
  });
});
