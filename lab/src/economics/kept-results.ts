import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { ReplayedRequest, ReplayRun } from "@palimpsest/observe/replay";
import type { SessionFacts } from "./facts.ts";
import type { Job } from "./jobs.ts";

export type JobResult = SessionFacts | ReplayRun;

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
    .update([session.digest, JSON.stringify(job), code].join("\n"))
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
  writeFileSync(`${path}.${process.pid}`, JSON.stringify("requests" in result ? toColumns(result) : result));
  renameSync(`${path}.${process.pid}`, path);
}

export function readFacts(file: string): SessionFacts {
  return JSON.parse(readFileSync(join(resultsFolder(), file), "utf8")) as SessionFacts;
}

export function readRun(file: string): ReplayRun {
  return toRun(JSON.parse(readFileSync(join(resultsFolder(), file), "utf8")) as KeptRun);
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
