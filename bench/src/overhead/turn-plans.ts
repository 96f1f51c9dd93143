import type { BenchOptions } from "../bench.ts";
import type { TurnPlan } from "./time-turns.ts";

const SHORT: TurnPlan = { messages: 200, conversations: 30, turns: 20 };
const MIDDLE: TurnPlan = { messages: 2_000, conversations: 6, turns: 100 };
const LONG: TurnPlan = { messages: 20_000, conversations: 1, turns: 600 };

/** About as many turns of each length. A quick run has what is compared with a floor: the two ends. */
export function turnPlans(size: BenchOptions["size"]): readonly TurnPlan[] {
  return size === "full" ? [SHORT, MIDDLE, LONG] : [SHORT, LONG];
}
