import type { TokenCosts } from "../cache/token-costs.ts";
import type { Candidate } from "../policy/decide.ts";

/** The reason of a pause: a tool will finish, a person may not return. */
export type PauseActivity = "tool-runs" | "waiting";

export interface Pause {
  readonly activity: PauseActivity;
  /** The time of the newest request. */
  readonly sinceMs: number;
  /** When its prompt was last read or written, by that request or by a ping. */
  readonly refreshedAtMs: number;
  readonly lifetimeMs: number;
  /** The cached part of the prompt. */
  readonly prefixTokens: number;
  readonly costs: TokenCosts;
  /** Pings sent in this pause, and their cost. */
  readonly pings: number;
  readonly spentUsd: number;
  readonly nowMs: number;
}

export interface PingLimits {
  readonly pings: number;
  readonly capUsd: number;
}

export interface PingPlan {
  readonly dueAtMs: number;
  readonly candidate: Candidate;
}

/** Sent before the end, so that the call arrives in time: lifetimes are exact, and count from request to request. */
const MARGIN_MS = 30_000;
const MARGIN_SHARE = 1 / 10;

/** Plans when to read the prompt again to keep it in the cache, and whether that saves money. */
export function planPing(pause: Pause, limits: PingLimits): PingPlan {
  const { activity, sinceMs, refreshedAtMs, lifetimeMs, prefixTokens, costs } = pause;
  const coldAtMs = refreshedAtMs + lifetimeMs;
  const dueAtMs = coldAtMs - Math.min(MARGIN_MS, lifetimeMs * MARGIN_SHARE);
  const chance = chanceOfReturn(activity, coldAtMs - sinceMs, dueAtMs + lifetimeMs - sinceMs);
  const cost = prefixTokens * costs.read;
  const misfit = whyNot(pause, limits, coldAtMs);
  return {
    dueAtMs,
    candidate: {
      kind: "keep-warm",
      admissible: misfit === undefined ? "if-it-pays" : "no",
      because: misfit ?? `the next request comes in time for it with a chance of ${Math.round(100 * chance)}%`,
      cost,
      gain: chance * prefixTokens * (costs.write - costs.read),
      horizonRequests: 1,
      ...(costs.usdPerUnit === undefined ? {} : { usdPerUnit: costs.usdPerUnit }),
    },
  };
}

function whyNot(pause: Pause, limits: PingLimits, coldAtMs: number): string | undefined {
  const { prefixTokens, costs, pings, spentUsd, nowMs } = pause;
  if (prefixTokens === 0) return "nothing is in the cache";
  if (nowMs >= coldAtMs) return "the cache is cold already";
  if (pings >= limits.pings) return `${pings} pings were sent, of at most ${limits.pings}`;
  if (costs.usdPerUnit === undefined) return "the model's prices are not known, so that no cap could be kept";
  const nextUsd = spentUsd + prefixTokens * costs.read * costs.usdPerUnit;
  const isWithin = nextUsd <= limits.capUsd;
  return isWithin ? undefined : `one more ping makes $${nextUsd.toFixed(4)}, of at most $${limits.capUsd}`;
}

/**
 * Of 671 recorded pauses above five minutes, the share that is still going on after t follows (5 min / t) ^ 0.67 closely (48%
 * after 15 minutes, 19% after 60, 10% after 145). Of those in which a tool ran, 9% lasted for more than an hour; of those
 * in which the user was waited for, 23%, and a quarter of all such pauses was the end of the session.
 */
const RETURNS: Readonly<Record<PauseActivity, { readonly share: number; readonly exponent: number }>> = {
  "tool-runs": { share: 1, exponent: 0.98 },
  waiting: { share: 0.75, exponent: 0.59 },
};
const SHORTEST_MS = 300_000;

/** The probability that the next request comes between two times of a pause, if it has not come before. */
function chanceOfReturn(activity: PauseActivity, fromMs: number, toMs: number): number {
  const { share, exponent } = RETURNS[activity];
  const away = (afterMs: number): number => share * (SHORTEST_MS / Math.max(SHORTEST_MS, afterMs)) ** exponent;
  return (away(fromMs) - away(toMs)) / (away(fromMs) + 1 - share);
}
