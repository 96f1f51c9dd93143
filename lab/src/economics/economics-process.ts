// Runs the jobs of one session whose results are not kept yet, and prints a line for each. A process for each session, so that none pays for
// the memory of another.

import { readTranscript } from "@palimpsest/observe";
import { headTokensOf, needsOf, prepareReplay, replayRule, toRecording } from "@palimpsest/observe/replay";
import { toFacts } from "./facts.ts";
import { createJobCode } from "./job-code.ts";
import { CACHE_MS, type Job, modelOf, WINDOWS } from "./jobs.ts";
import { type JobResult, keep, resultFile } from "./kept-results.ts";
import { POINTS, policyAtPoints } from "./points.ts";
import { enginePolicy } from "./policies.ts";
import { findRule } from "./rules.ts";
import type { PlannedSession } from "./sessions.ts";

const { path, jobs, ...session } = JSON.parse(process.argv[2]!) as PlannedSession;
const codeOf = createJobCode();
if (jobs.some(({ job, file }) => resultFile(session, job, codeOf(job)) !== file)) {
  throw new Error("The code was changed after the experiment had begun: start it again. Results so far are kept.");
}
const recording = toRecording(await Array.fromAsync(readTranscript(path)));
if (recording === undefined) throw new Error("It has no response of a model.");
const replay = prepareReplay(recording);
const needs = needsOf(recording);
const headTokens = headTokensOf(recording);

async function run(job: Job): Promise<JobResult> {
  if (job.kind === "facts") return toFacts(recording!);
  if (job.kind === "engine") {
    const named = enginePolicy(job.name);
    const policy = POINTS.includes(job.name) ? policyAtPoints(job.name, named, recording!) : named;
    const replayed = { kind: "engine", name: job.name, about: job.name, policyFor: () => policy } as const;
    return replay(replayed, { model: modelOf(job.window), cacheTtl: "5m" });
  }
  const terms = { windowTokens: WINDOWS[job.window], headTokens, lifetimesMs: [CACHE_MS] };
  const [result] = await replayRule(recording!, needs, await findRule(job.name), terms);
  return result!;
}

for (const { job, file } of jobs) {
  keep(file, await run(job));
  console.log(file);
}
