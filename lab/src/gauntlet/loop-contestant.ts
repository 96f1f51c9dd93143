import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Contestant, Place, Running, TurnEnd } from "./contestant.ts";
import { peakMbOf } from "./peak-memory.ts";

export interface LoopContestant extends Omit<Contestant, "start" | "version"> {
  /** A module that exports `open`, an `OpenLoop`. */
  readonly module: URL;
  version(): string;
}

const PROCESS = fileURLToPath(new URL("./loop-process.ts", import.meta.url));
/** One cache for all: each start would compile everything again. */
const COMPILED = process.env["NODE_COMPILE_CACHE"] ?? join(tmpdir(), "palimpsest-compiled");
const OPTIONS = ["--conditions=palimpsest-source", "--no-warnings"];

/** A library, in a loop as its documentation shows it, in a process of its own. */
export function loopContestant({ module, ...contestant }: LoopContestant): Contestant {
  return { ...contestant, start: (place) => startLoop(module, place) };
}

async function startLoop(module: URL, place: Place): Promise<Running> {
  const child = spawn(process.execPath, [...OPTIONS, PROCESS, module.href, JSON.stringify(place)], {
    cwd: place.workspace,
    stdio: ["pipe", "pipe", process.env["GAUNTLET_DEBUG"] === undefined ? "ignore" : "inherit"],
    // Keys and settings of the user are none of the contestant's.
    env: { PATH: process.env["PATH"], HOME: place.home, NODE_COMPILE_CACHE: COMPILED },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = once(child, "exit");
  const peak = peakMbOf(child.pid!);
  child.stdin.on("error", () => undefined);
  const answer = async (): Promise<TurnEnd> => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) return { kind: "failed", message: "The process ended." };
      // Libraries print what they like.
      if (value.startsWith('{"kind"')) return JSON.parse(value) as TurnEnd;
    }
  };
  const kill = async (): Promise<void> => {
    peak.sample();
    child.kill("SIGKILL");
    await ended;
  };
  const opened = await answer();
  if (opened.kind === "failed") throw new Error(`The contestant did not start: ${opened.message}`);
  return {
    async turn(text, limitMs) {
      child.stdin.write(`${JSON.stringify(text)}\n`);
      const end = await Promise.race([answer(), late(limitMs)]);
      peak.sample();
      return end;
    },
    kill,
    async close() {
      peak.sample();
      child.stdin.end();
      const isLate = await Promise.race([ended.then(() => false), late(10_000).then(() => true)]);
      if (isLate) await kill();
    },
    peakMb: peak.mb,
  };
}

async function late(limitMs: number): Promise<TurnEnd> {
  return new Promise((resolve) => {
    setTimeout(() => resolve({ kind: "late" }), limitMs).unref();
  });
}
