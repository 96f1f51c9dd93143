import { say } from "@palimpsest/fleet";
import { audit } from "../audit.ts";
import { insist, waitUntil } from "../insist.ts";
import { type Job, jobText } from "../job.ts";
import type { Place } from "../place.ts";
import type { WorkerPlan } from "../worker-plan.ts";

/** One thing that goes wrong in production, and how the fleet comes through it. */
export interface FleetCase {
  readonly name: string;
  readonly about: string;
  /** Parts of the product without which the case fails, each of them: a case that nothing can make fail proves nothing. */
  readonly guards: readonly string[];
  /** `gate`: it also belongs to the quick run. @default "full" */
  readonly size?: "gate" | "full";
  /** Of its workers. */
  readonly plan?: Partial<WorkerPlan>;
  /** The database has a disk of its own, of this size. @default it shares that of the system */
  readonly diskBytes?: number;
  run(place: Place): Promise<CaseResult>;
}

export interface CaseResult {
  /** What should not be. */
  readonly wrong: readonly string[];
  readonly figures: Readonly<Record<string, number>>;
}

/** Runs are taken over soon, so that a case is short. */
export const SOON: Partial<WorkerPlan> = { silentAfterMs: 1_500, renewEveryMs: 300 };

export interface JobsOptions {
  readonly prefix: string;
  readonly count: number;
  readonly rounds: Job["rounds"];
}

/** Says one job to each of some new sessions. */
export async function sayJobs({ dispatch }: Place, { prefix, count, rounds }: JobsOptions): Promise<readonly Job[]> {
  const jobs = Array.from({ length: count }, (_, index): Job => ({ session: `${prefix}${index}`, turn: 1, rounds }));
  for (const job of jobs)
    await insist(() => say(dispatch.inbox, job.session, { key: "turn 1", content: jobText(job) }));
  return jobs;
}

/** Whether nothing is left to run in time, but for what is set aside. */
export function comesToRest({ busy }: Place, withinMs: number): Promise<boolean> {
  return waitUntil(async () => (await busy()).every(({ state }) => state === "set-aside"), withinMs);
}

/** Everything that should not be, by the logs, the effects and the provider. */
export async function wrongOf(place: Place, jobs: readonly Job[]): Promise<{ wrong: string[]; unknownTold: number }> {
  const { lost, twice, stuck, refused, unknownTold } = await audit(place, jobs);
  return { wrong: [...lost, ...twice, ...stuck.map((job) => `stuck: ${job}`), ...refused], unknownTold };
}
