// The recorded sessions, the jobs of each, and where the result of a job is kept.

import { createHash } from "node:crypto";
import { globSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { findReplayModel, type ReplayModel } from "@palimpsest/observe/replay";
import { tracesFolder } from "../traces.ts";
import { createJobCode } from "./job-code.ts";
import { resultFile } from "./kept-results.ts";

/** The default model of the agent, with its price sheet. */
export const MODEL = "claude-sonnet-5-5";
export const CACHE_MS = 300_000;
export const WINDOWS = { "200K": 200_000, "1M": 1_000_000 } as const;
export type WindowName = keyof typeof WINDOWS;

export function modelOf(window: WindowName): ReplayModel {
  return { ...findReplayModel(MODEL)!, windowTokens: WINDOWS[window] };
}

/** The window, the price of a cache read relative to input, and how long the cache lasts: "200K/0.1/5m". */
export function conditionOf(window: WindowName): string {
  const { prices } = modelOf(window);
  return `${window}/${prices.cacheRead / prices.input}/${CACHE_MS / 60_000}m`;
}

/** One replay of one session, or what the recording itself tells. */
export type Job =
  | { readonly kind: "facts" }
  | { readonly kind: "engine" | "rule" | "library"; readonly name: string; readonly window: WindowName };

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
    const jobs = jobsOf(name).map((job) => ({ job, file: resultFile({ name, digest }, job, codeFor(job)) }));
    return { name, repository: name.split("/")[0]!, path, digest, jobs };
  });
}
