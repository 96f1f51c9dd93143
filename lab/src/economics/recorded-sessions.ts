import { createHash } from "node:crypto";
import { globSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { tracesFolder } from "../traces.ts";
import { createJobCode } from "./job-code.ts";
import { resultFile } from "./kept-results.ts";
import { type EconomicsPlan, type Job, jobName, planJobs } from "./plan-jobs.ts";

/** A recorded session with its jobs, and where the result of each is kept. */
export interface PlannedSession {
  readonly name: string;
  /** Whose session it is. */
  readonly repository: string;
  readonly path: string;
  /** Of its content. */
  readonly digest: string;
  readonly jobs: readonly { readonly job: Job; readonly file: string }[];
  fileOf(job: Job): string;
}

/** The names of the recorded sessions, the smallest first. */
export function recordedSessions(): readonly string[] {
  const names = globSync("**/*.{jsonl,jsonl.zst}", { cwd: tracesFolder() }).sort();
  const sizes = new Map(names.map((name) => [name, statSync(resolve(tracesFolder(), name)).size]));
  return names.toSorted((one, other) => sizes.get(one)! - sizes.get(other)!);
}

export function planSessions(names: readonly string[], plan: EconomicsPlan): readonly PlannedSession[] {
  const codeOf = createJobCode();
  const coded = planJobs(plan).map((job) => ({ job, code: codeOf(job) }));
  return names.map((name) => {
    const path = resolve(tracesFolder(), name);
    const digest = createHash("sha256").update(readFileSync(path)).digest("hex");
    const jobs = coded.map(({ job, code }) => ({ job, file: resultFile({ name, digest }, job, code) }));
    const files = new Map(jobs.map(({ job, file }) => [jobName(job), file]));
    return { name, repository: name.split("/")[0]!, path, digest, jobs, fileOf: (job) => files.get(jobName(job))! };
  });
}
