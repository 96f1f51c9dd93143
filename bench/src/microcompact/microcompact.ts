import type { Bench } from "../bench.ts";
import { ownSession } from "../overhead/own-session.ts";
import { type TurnTimes, timeTurns } from "../overhead/time-turns.ts";
import { turnPlans } from "../overhead/turn-plans.ts";
import { median, round } from "../statistics.ts";

/** Every result may be cleared, and none ever pays for it: so planning is all that is done. */
const NEVER_PAYS = { "clearing.bySize": "on", "clearing.paybackRequests": 1 } as const;
const PLANNING = ownSession({ tool: "Read", settings: NEVER_PAYS });
const NOT_PLANNING = ownSession({ tool: "Read", settings: { ...NEVER_PAYS, "clearing.enabled": "off" } });

/** Measures the time that planning a clearing adds to a turn, and whether it depends on the length of the session. */
export const microcompactBench: Bench = {
  name: "microcompact",
  about: "a turn with and without planning what to clear, at 200, 2,000 and 20,000 messages",
  async run({ size }) {
    const passes = size === "full" ? 3 : 1;
    const plans = turnPlans(size);
    for (const plan of plans.slice(0, -1)) await timeTurns(PLANNING, plan);
    const figures = new Map<number, WithAndWithout>();
    for (const plan of plans) figures.set(plan.messages, { with: [], without: [] });
    for (let pass = 0; pass < passes; pass++) {
      for (const plan of plans) {
        // One beside the other, so that both have the machine as it is.
        figures.get(plan.messages)!.with.push(await timeTurns(PLANNING, plan));
        figures.get(plan.messages)!.without.push(await timeTurns(NOT_PLANNING, plan));
      }
    }
    const by = (value: (times: WithAndWithout) => number): Record<string, number> =>
      Object.fromEntries([...figures].map(([messages, times]) => [String(messages), round(value(times))]));
    const ratios = by((times) => meanUsed(times.with) / meanUsed(times.without));
    return {
      turn_us: by((times) => median(times.with.flatMap(({ turnUs }) => turnUs))),
      turn_us_without_planning: by((times) => median(times.without.flatMap(({ turnUs }) => turnUs))),
      mean_processor_us: by((times) => meanUsed(times.with)),
      ratio: ratios,
      growth: round(ratios[plans.at(-1)!.messages]! / ratios[plans[0]!.messages]!),
    };
  },
};

interface WithAndWithout {
  readonly with: TurnTimes[];
  readonly without: TurnTimes[];
}

/** Of the processor: beside other work the time of a turn is the others' too. Every hundredth turn is left out at either end: a collection of garbage is nobody's. */
function meanUsed(times: readonly TurnTimes[]): number {
  const sorted = times.flatMap(({ turnProcessorUs }) => turnProcessorUs).toSorted((a, b) => a - b);
  const cut = Math.floor(sorted.length / 100);
  const kept = sorted.slice(cut, sorted.length - cut);
  return kept.reduce((sum, value) => sum + value, 0) / kept.length;
}
