import type { Subject } from "./subject.ts";
import { roundAt, roundsBefore } from "./transcript.ts";

export interface TurnPlan {
  /** The length of the conversation in the middle of what is timed. */
  readonly messages: number;
  readonly conversations: number;
  /** Of each conversation. */
  readonly turns: number;
}

/** Microseconds, one for each turn. */
export interface TurnTimes {
  readonly turnUs: number[];
  /** Of the processor: what else the machine does is not in it. */
  readonly turnProcessorUs: number[];
  readonly nextUs: number[];
}

/** Slow subjects do fewer turns than planned: as many as fit, but some. */
const BUDGET_MS = 10_000;
const LEAST_TURNS = 3;

export async function timeTurns(subject: Subject, plan: TurnPlan): Promise<TurnTimes> {
  const turnUs: number[] = [];
  const turnProcessorUs: number[] = [];
  const nextUs: number[] = [];
  let leftMs = BUDGET_MS;
  for (let conversation = 0; conversation < plan.conversations; conversation++) {
    const before = plan.messages - plan.turns;
    const { next } = await subject.begin(roundsBefore(before));
    for (let turn = 0; turn < plan.turns; turn++) {
      if (turnUs.length >= LEAST_TURNS && leftMs <= 0) return { turnUs, turnProcessorUs, nextUs };
      const round = roundAt(before / 2 + turn);
      const startedAtMs = performance.now();
      const act = await next(round);
      const usedBeforeUs = usedUs();
      const calledAtMs = performance.now();
      await act();
      const endedAtMs = performance.now();
      turnProcessorUs.push(usedUs() - usedBeforeUs);
      nextUs.push(1_000 * (calledAtMs - startedAtMs));
      turnUs.push(1_000 * (endedAtMs - calledAtMs));
      leftMs -= endedAtMs - startedAtMs;
    }
  }
  return { turnUs, turnProcessorUs, nextUs };
}

/** By this thread: collections of garbage on others are not in it. */
function usedUs(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
