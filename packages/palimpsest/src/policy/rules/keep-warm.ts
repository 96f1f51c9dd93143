// Keeps the prompt in the provider's cache during pauses.

import { A_COUNT, checkAllOptions } from "../../schema/check-options.ts";
import type { Pause, PauseActivity, WarmRule } from "../policy.ts";

export interface KeepWarmNumbers {
  /** The maximum number of pings while a tool runs. */
  readonly whileToolRuns: number;
  /** The maximum number of pings while the session waits for the user. */
  readonly whileWaiting: number;
  /** The maximum cost of the pings of one pause. Without known prices there are no pings. */
  readonly capUsd: number;
}

/** Chosen by replaying recorded sessions; docs/decisions/pauses-have-a-price.md has the figures. */
export const USUAL_PINGS: KeepWarmNumbers = { whileToolRuns: 11, whileWaiting: 2, capUsd: 0.5 };

/** Pings as long as a ping costs less than what it probably saves. */
export function keepWarm(numbers: KeepWarmNumbers = USUAL_PINGS): WarmRule {
  checkAllOptions("keepWarm", numbers, { whileToolRuns: A_COUNT, whileWaiting: A_COUNT, capUsd: A_COUNT });
  const { whileToolRuns, whileWaiting, capUsd } = numbers;
  return {
    name: "keep-warm",
    params: { whileToolRuns, whileWaiting, capUsd },
    obstacle(pause) {
      const { activity, pings, spentUsd, prefixTokens, costs } = pause;
      const maxPings = activity === "tool-runs" ? whileToolRuns : whileWaiting;
      if (pings >= maxPings) return `${pings} of at most ${maxPings} pings were sent`;
      if (costs.usdPerUnit === undefined) return "the model's prices are unknown, so the cost cannot be limited";
      const nextUsd = spentUsd + prefixTokens * costs.read * costs.usdPerUnit;
      if (nextUsd > capUsd)
        return `another ping would raise the cost to $${nextUsd.toFixed(4)}, above the limit of $${capUsd}`;
      return doesNotPay(pause);
    },
  };
}

function doesNotPay(pause: Pause): string | undefined {
  const { activity, sinceMs, refreshedAtMs, lifetimeMs, prefixTokens, costs } = pause;
  const coldAtMs = refreshedAtMs + lifetimeMs;
  const chance = chanceOfReturn(activity, coldAtMs - sinceMs, pingDueAtMs(pause) + lifetimeMs - sinceMs);
  const cost = prefixTokens * costs.read;
  const gain = chance * prefixTokens * (costs.write - costs.read);
  if (gain > cost) return undefined;
  return `a ping does not pay: the next request comes in time with a probability of ${Math.round(100 * chance)}%`;
}

/**
 * Pings are sent this long before the cache expires, so that the call arrives in time. Lifetimes are exact and count
 * from request to request.
 */
const MARGIN_MS = 30_000;
const MARGIN_SHARE = 1 / 10;

/** When to send the next ping of a pause. */
export function pingDueAtMs({ refreshedAtMs, lifetimeMs }: Pick<Pause, "refreshedAtMs" | "lifetimeMs">): number {
  return refreshedAtMs + lifetimeMs - Math.min(MARGIN_MS, lifetimeMs * MARGIN_SHARE);
}

/**
 * The distribution of pauses. Of 671 recorded pauses above five minutes, the share that still goes on after t follows
 * (5 min / t) ^ 0.67 closely (48% after 15 minutes, 19% after 60, 10% after 145). When a tool ran, 9% of the pauses
 * lasted more than an hour. When the user was away, 23% did, and a quarter of these pauses was the end of the session.
 */
const RETURNS: Readonly<Record<PauseActivity, { readonly share: number; readonly exponent: number }>> = {
  "tool-runs": { share: 1, exponent: 0.98 },
  waiting: { share: 0.75, exponent: 0.59 },
};
const SHORTEST_MS = 300_000;

/** Returns the probability that the next request comes between two times of a pause, if it has not come before. */
function chanceOfReturn(activity: PauseActivity, fromMs: number, toMs: number): number {
  const { share, exponent } = RETURNS[activity];
  const away = (afterMs: number): number => share * (SHORTEST_MS / Math.max(SHORTEST_MS, afterMs)) ** exponent;
  return (away(fromMs) - away(toMs)) / (away(fromMs) + 1 - share);
}
