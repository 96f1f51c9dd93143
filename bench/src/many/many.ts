import type { Bench, Figures } from "../bench.ts";
import { inTemporaryFolder } from "../chaos/temporary-folder.ts";
import { runProcess } from "../run-process.ts";
import { round } from "../statistics.ts";
import type { Crowd } from "./many-process.ts";

const SESSIONS = { full: 10_000, quick: 500 } as const;

/** Measures a process with many open sessions: its memory, and the time of a turn in any of them. */
export const manyBench: Bench = {
  name: "many",
  figures: "counts",
  about: "10,000 sessions open in one process, one append + prepare in each, on disk and in memory",
  async run({ size }) {
    const sessions = SESSIONS[size];
    const onDisk = await inTemporaryFolder(async (folder) => start(String(sessions), folder));
    const inMemory = start(String(sessions));
    return { sessions, ...figuresOf(onDisk), memory_store: figuresOf(inMemory) };
  },
};

function start(...args: readonly string[]): Crowd {
  return runProcess(new URL("./many-process.ts", import.meta.url), args);
}

function figuresOf({ rssMb, turnMs, openSeconds }: Crowd): Figures {
  const at = (share: number): number => round(turnMs[Math.min(turnMs.length - 1, Math.floor(share * turnMs.length))]!);
  return { rss_mb: round(rssMb), p50_ms: at(0.5), p99_ms: at(0.99), open_s: round(openSeconds) };
}
