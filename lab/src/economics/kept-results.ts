import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { ReplayedRequest, ReplayRun } from "@palimpsest/observe/replay";
import { type Job, jobName } from "./plan-jobs.ts";
import type { JobResult } from "./run-job.ts";
import type { SessionFacts } from "./to-facts.ts";

/** Where results are kept, on this machine: `PALIMPSEST_ECONOMICS`. They hold counts, no text. Delete them when you like. */
function resultsFolder(): string {
  return resolve(process.env["PALIMPSEST_ECONOMICS"] ?? join(homedir(), ".cache", "palimpsest", "economics"));
}

/** The file of one result: another if the session, the job or the code that it runs is another. */
export function resultFile(
  session: { readonly name: string; readonly digest: string },
  job: Job,
  code: string,
): string {
  const key = createHash("sha256")
    .update([session.digest, jobName(job), code].join("\n"))
    .digest("hex");
  return join(session.name.replace(/\.jsonl(\.zst)?$/, ""), `${job.kind}-${key.slice(0, 24)}.json`);
}

export function isKept(file: string): boolean {
  return existsSync(join(resultsFolder(), file));
}

/** Whole or not at all: a run that is stopped leaves no half of a result. */
export function keep(file: string, result: JobResult): void {
  const path = join(resultsFolder(), file);
  mkdirSync(dirname(path), { recursive: true });
  const text = JSON.stringify("rounds" in result ? result : mapRuns(result, toColumns));
  writeFileSync(`${path}.${process.pid}`, text);
  renameSync(`${path}.${process.pid}`, path);
}

export function readFacts(file: string): SessionFacts {
  return JSON.parse(readFileSync(join(resultsFolder(), file), "utf8")) as SessionFacts;
}

export function readRuns(file: string): Readonly<Record<string, ReplayRun>> {
  const kept = JSON.parse(readFileSync(join(resultsFolder(), file), "utf8")) as Readonly<Record<string, KeptRun>>;
  return mapRuns(kept, toRun);
}

/** The requests of a run by column: a third of the size. */
type KeptRun = Omit<ReplayRun, "requests"> & {
  readonly columns: { readonly [field in keyof ReplayedRequest]-?: readonly ReplayedRequest[field][] };
};

function toColumns({ requests, ...rest }: ReplayRun): KeptRun {
  return {
    ...rest,
    columns: {
      source: requests.map(({ source }) => source),
      freshTokens: requests.map(({ freshTokens }) => freshTokens),
      cacheReadTokens: requests.map(({ cacheReadTokens }) => cacheReadTokens),
      cacheWriteTokens: requests.map(({ cacheWriteTokens }) => cacheWriteTokens),
      cacheWrite1hTokens: requests.map(({ cacheWrite1hTokens }) => cacheWrite1hTokens ?? 0),
      outputTokens: requests.map(({ outputTokens }) => outputTokens),
    },
  };
}

function toRun({ columns, ...rest }: KeptRun): ReplayRun {
  const { source, freshTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens, outputTokens } = columns;
  const requests = source.map((one, index) => ({
    source: one,
    freshTokens: freshTokens[index]!,
    cacheReadTokens: cacheReadTokens[index]!,
    cacheWriteTokens: cacheWriteTokens[index]!,
    cacheWrite1hTokens: cacheWrite1hTokens[index] ?? 0,
    outputTokens: outputTokens[index]!,
  }));
  return { ...rest, requests };
}

function mapRuns<From, To>(runs: Readonly<Record<string, From>>, map: (run: From) => To): Readonly<Record<string, To>> {
  return Object.fromEntries(Object.entries(runs).map(([name, run]) => [name, map(run)]));
}
