// The recorded sessions, and where the results of their jobs are kept.

import { createHash } from "node:crypto";
import { globSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { tracesFolder } from "../traces.ts";
import { createJobCode } from "./job-code.ts";
import type { Job } from "./jobs.ts";
import { resultFile } from "./kept-results.ts";

/** The jobs of a session. */
export interface PlannedSession {
  /** The path below the folder of recordings. */
  readonly name: string;
  readonly repository: string;
  readonly path: string;
  /** A digest of the content. */
  readonly digest: string;
  readonly jobs: readonly { readonly job: Job; readonly file: string }[];
}

/** The names of the recorded sessions, the smallest first. */
export function recordedSessions(): readonly string[] {
  const names = globSync("**/*.{jsonl,jsonl.zst}", { cwd: tracesFolder() }).sort();
  const sizes = new Map(names.map((name) => [name, statSync(resolve(tracesFolder(), name)).size]));
  return names.toSorted((one, other) => sizes.get(one)! - sizes.get(other)!);
}

/** So many of them, spread evenly over all sizes. */
export function sampled(names: readonly string[], count: number): readonly string[] {
  if (count >= names.length) return names;
  return Array.from({ length: count }, (_, index) => names[Math.floor(((index + 0.5) * names.length) / count)]!);
}

/** @param jobsOf the jobs of a session, by its name */
export function planSessions(
  names: readonly string[],
  jobsOf: (name: string) => readonly Job[],
): readonly PlannedSession[] {
  const codeOf = createJobCode();
  const codes = new Map<string, string>();
  const codeFor = (job: Job): string => {
    const key = JSON.stringify(job);
    const code = codes.get(key) ?? codeOf(job);
    codes.set(key, code);
    return code;
  };
  return names.map((name) => {
    const path = resolve(tracesFolder(), name);
    const digest = createHash("sha256").update(readFileSync(path)).digest("hex");
    // A job that several figures need is run once.
    const own = new Map(jobsOf(name).map((job) => [JSON.stringify(job), job])).values();
    const jobs = Array.from(own, (job) => ({ job, file: resultFile({ name, digest }, job, codeFor(job)) }));
    return { name, repository: name.split("/")[0]!, path, digest, jobs };
  });
}
