import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { editByHand } from "./edit-by-hand.ts";
import { isTorn } from "./marked-body.ts";
import type { AcknowledgedChange, MemoryWriterPlan } from "./memory-writer-process.ts";

export interface MemoryRaceOptions {
  readonly processes: number;
  readonly changes: number;
  readonly handEdits: number;
  readonly kills: number;
}

export interface RaceRecord {
  readonly acknowledged: readonly AcknowledgedChange[];
  /** Words by which each edit by hand is known. */
  readonly edits: readonly string[];
  readonly kills: number;
  readonly reads: number;
  readonly tornReads: number;
}

const OWN_TOPICS = 12;
const SHARED_TOPICS = 20;

/**
 * Several processes change one memory, again and again killed and started anew, while someone edits its files by hand and
 * someone else reads them.
 */
export async function raceMemory(folder: string, options: MemoryRaceOptions): Promise<RaceRecord> {
  mkdirSync(folder, { recursive: true });
  const acknowledged: AcknowledgedChange[] = [];
  const writers = Array.from({ length: options.processes }, (_, writer) =>
    createWriter(folder, writer, options.changes),
  );
  let running = true;
  const [edits, read, kills] = await Promise.all([
    edit(folder, options, () => running),
    readOn(folder, () => running),
    killSome(writers, options, () => running),
    Promise.all(writers.map((writer) => writer.finish(acknowledged))).then(() => {
      running = false;
    }),
  ]);
  return { acknowledged, edits, kills, ...read };
}

interface RestartedWriter {
  /** Starts it as often as it takes until it has made all of its changes. */
  finish(into: AcknowledgedChange[]): Promise<void>;
  kill(): boolean;
}

function createWriter(folder: string, writer: number, changes: number): RestartedWriter {
  const script = fileURLToPath(new URL("./memory-writer-process.ts", import.meta.url));
  let child: ChildProcess | undefined;
  return {
    async finish(into) {
      for (let made = 0; made < changes; ) {
        const options: MemoryWriterPlan = {
          writer,
          changes: changes - made,
          ownTopics: OWN_TOPICS,
          sharedTopics: SHARED_TOPICS,
        };
        const args = ["--conditions=palimpsest-source", "--no-warnings", script, folder, JSON.stringify(options)];
        const started = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
        child = started;
        let rest = "";
        started.stdout.setEncoding("utf8");
        started.stdout.on("data", (chunk: string) => {
          const lines = (rest + chunk).split("\n");
          // A line that was cut by the kill was not told to its end, and does not count as told.
          rest = lines.pop() ?? "";
          made += lines.length;
          for (const line of lines) into.push(JSON.parse(line) as AcknowledgedChange);
        });
        const [[code, signal]] = (await Promise.all([once(started, "exit"), once(started.stdout, "end")])) as [
          [number | null, string | null],
          unknown,
        ];
        child = undefined;
        if (code !== 0 && signal !== "SIGKILL") throw new Error(`writer ${writer} ended with ${signal ?? code}`);
      }
    },
    kill: () => child?.kill("SIGKILL") ?? false,
  };
}

async function killSome(
  writers: readonly RestartedWriter[],
  options: MemoryRaceOptions,
  isRunning: () => boolean,
): Promise<number> {
  let kills = 0;
  while (isRunning() && kills < options.kills) {
    await sleep(100 + Math.random() * 900);
    if (writers[Math.floor(Math.random() * writers.length)]!.kill()) kills++;
  }
  return kills;
}

/** One file after the other: nobody edits the same file twice before anyone has looked. */
async function edit(folder: string, { handEdits }: MemoryRaceOptions, isRunning: () => boolean): Promise<string[]> {
  const marks: string[] = [];
  const lastAtMs = new Map<string, number>();
  for (let number = 0; isRunning() && marks.length < handEdits; number++) {
    await sleep(20 + Math.random() * 200);
    const rested = topicsIn(folder).filter((name) => Date.now() - (lastAtMs.get(name) ?? 0) > 10_000);
    const name = rested[Math.floor(Math.random() * rested.length)];
    if (name === undefined) continue;
    const mark = await editByHand(folder, name, number);
    lastAtMs.set(name, Date.now());
    if (mark !== undefined) marks.push(mark);
  }
  return marks;
}

/** Checks that readers find every file complete at any time. */
async function readOn(folder: string, isRunning: () => boolean): Promise<{ reads: number; tornReads: number }> {
  let [reads, tornReads] = [0, 0];
  while (isRunning()) {
    for (const name of topicsIn(folder)) {
      try {
        if (isTorn(readFileSync(join(folder, name), "utf8"))) tornReads++;
        reads++;
      } catch {
        // Just forgotten, or just exchanged.
      }
    }
    await sleep(20);
  }
  return { reads, tornReads };
}

function topicsIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.endsWith(".md"));
}
