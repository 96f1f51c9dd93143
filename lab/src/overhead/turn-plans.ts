import type { ExperimentOptions } from "../experiment.ts";
import type { TurnPlan } from "./time-turns.ts";

const SHORT: TurnPlan = { messages: 200, conversations: 30, turns: 20 };
const MIDDLE: TurnPlan = { messages: 2_000, conversations: 6, turns: 100 };
const LONG: TurnPlan = { messages: 20_000, conversations: 1, turns: 600 };
/** Building conversations takes most of the time. What grows with the length, shows at a quarter of the longest, too. */
const QUICK: readonly TurnPlan[] = [
  { messages: 200, conversations: 10, turns: 20 },
  { messages: 5_000, conversations: 1, turns: 200 },
];

/** About as many turns of each length, the shortest first. A quick run has two, which are compared with a floor. */
export function turnPlans(size: ExperimentOptions["size"]): readonly TurnPlan[] {
  return size === "full" ? [SHORT, MIDDLE, LONG] : QUICK;
}
