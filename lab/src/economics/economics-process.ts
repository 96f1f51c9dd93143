import { readTranscript } from "@palimpsest/observe";
import { toRecording } from "@palimpsest/observe/replay";
import { createJobCode } from "./job-code.ts";
import { keep, resultFile } from "./kept-results.ts";
import type { Job } from "./plan-jobs.ts";
import { createRunJob } from "./run-job.ts";

/** What a process is asked to do: the jobs of one session whose results are not kept yet. */
export interface SessionWork {
  readonly name: string;
  readonly path: string;
  readonly digest: string;
  readonly jobs: readonly { readonly job: Job; readonly file: string }[];
}

// A process for each session, so that none pays for the memory of another. It prints a line for each job.
const { path, jobs, ...session } = JSON.parse(process.argv[2]!) as SessionWork;
const codeOf = createJobCode();
if (jobs.some(({ job, file }) => resultFile(session, job, codeOf(job)) !== file)) {
  throw new Error("The code was changed after the experiment had begun: start it again. Results so far are kept.");
}
const recording = toRecording(await Array.fromAsync(readTranscript(path)));
if (recording === undefined) throw new Error("It has no response of a model.");
const runJob = createRunJob(recording);
for (const { job, file } of jobs) {
  keep(file, await runJob(job));
  console.log(file);
}
