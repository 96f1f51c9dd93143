import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import type { NextRequestCost, SessionCost } from "palimpsest";
import type { HostCommand, HostTask } from "./host/host-program.ts";
import type { DecidedEntry } from "./host/print-decisions.ts";
import type { Installed } from "./install.ts";
import type { MovedClock } from "./moved-clock.ts";
import { clientEnvironment, type Row } from "./rows.ts";

/** A packed program with one session, in processes that start at the time of the scenario's clock. */
export interface Program {
  /** Runs turns of the session in one process. */
  turns(...texts: readonly string[]): Promise<void>;
  /** What the program expects of the next request. */
  forecast(): Promise<NextRequestCost>;
  /** Compacts the session, as its user asks. */
  compact(): Promise<void>;
  /** Decisions and boundaries in the session's log, oldest first. */
  decisions(): Promise<readonly DecidedEntry[]>;
}

export interface ProgramOptions {
  readonly row: Row;
  readonly installed: Installed;
  readonly url: string;
  readonly clock: MovedClock;
  /** The folder with the files of the task, and the home of the user. */
  readonly project: string;
  readonly home: string;
  /** Settings of the engine. The experiment leaves them at their defaults, but for session notes. */
  readonly settings: Readonly<Record<string, string>>;
}

export function openProgram(options: ProgramOptions): Program {
  return options.row.via === "agent" ? agentProgram(options) : libraryProgram(options);
}

/** `palimpsest`, on its default model of the provider whose key is set. */
function agentProgram(options: ProgramOptions): Program {
  const { installed, home, settings } = options;
  const set = Object.entries(settings).flatMap(([name, value]) => ["--set", `${name}=${value}`]);
  const run = (args: readonly string[]) => runProgram(installed.agent, args, options);
  let session: "new" | "newest" = "new";
  return {
    async turns(...texts) {
      const continued = session === "new" ? [] : ["--continue"];
      session = "newest";
      const rights = ["--mode", "accept-edits", "--allow", "Bash(cat *)", "--allow", "Bash(head *)"];
      const formats = ["--input-format", "stream-json", "--output-format", "stream-json"];
      await converse(installed.agent, [...continued, ...formats, ...rights, ...set], texts, options);
    },
    async forecast() {
      const cost = JSON.parse(await run(["sessions", "cost", "--json"])) as SessionCost;
      return cost.nextRequest;
    },
    async compact() {
      await run(["sessions", "compact"]);
    },
    async decisions() {
      const [log] = globSync(join(home, ".palimpsest/projects/*/sessions/*.sqlite"));
      if (log === undefined) throw new Error(`The agent left no log in ${home}.`);
      return readDecisions(options, dirname(log));
    },
  };
}

/** The host program, with a session in a folder of its own. */
function libraryProgram(options: ProgramOptions): Program {
  const { row, installed, url, project, home, settings } = options;
  const logs = join(home, "logs");
  async function obey(...commands: readonly HostCommand[]): Promise<readonly unknown[]> {
    const task: HostTask = { api: row.api, model: row.model, url, logs, project, settings, commands };
    const args = ["--no-warnings", installed.host, JSON.stringify(task)];
    const printed = await runProgram(process.execPath, args, options);
    return printed
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
  }
  return {
    async turns(...texts) {
      await obey(...texts.map((text) => ({ kind: "turn", text }) as const));
    },
    async forecast() {
      const [cost] = await obey({ kind: "cost" });
      return (cost as SessionCost).nextRequest;
    },
    async compact() {
      await obey({ kind: "compact" });
    },
    decisions: () => readDecisions(options, logs),
  };
}

async function readDecisions(options: ProgramOptions, logs: string): Promise<readonly DecidedEntry[]> {
  const args = ["--no-warnings", options.installed.printDecisions, logs];
  return JSON.parse(await runProgram(process.execPath, args, options));
}

/** Keys and settings of the user who runs the experiment are left out. */
function environmentOf({ row, url, clock, home }: ProgramOptions): NodeJS.ProcessEnv {
  const compiled = process.env["NODE_COMPILE_CACHE"] ?? join(tmpdir(), "palimpsest-compiled");
  return {
    PATH: process.env["PATH"],
    HOME: home,
    NODE_COMPILE_CACHE: compiled,
    ...clientEnvironment(row, url),
    ...clock.environment(),
  };
}

const LIMIT_MS = 120_000;

/** Runs a program to its end, and returns its output. */
async function runProgram(program: string, args: readonly string[], options: ProgramOptions): Promise<string> {
  const running = promisify(execFile)(program, args, {
    cwd: options.project,
    env: environmentOf(options),
    timeout: LIMIT_MS,
    maxBuffer: 2 ** 28,
  });
  running.child.stdin!.end();
  const { stdout } = await running;
  return stdout;
}

/** Runs a program that reads one turn per line. It gets each line after the end of the turn before. */
async function converse(
  program: string,
  args: readonly string[],
  texts: readonly string[],
  options: ProgramOptions,
): Promise<void> {
  const child = spawn(program, args, { cwd: options.project, env: environmentOf(options), timeout: LIMIT_MS });
  const ended = once(child, "close");
  let problems = "";
  child.stderr.on("data", (chunk) => {
    problems += chunk;
  });
  const waiting = [...texts];
  const sayNext = (): void => {
    const text = waiting.shift();
    if (text === undefined) child.stdin.end();
    else child.stdin.write(`${JSON.stringify({ kind: "user", text })}\n`);
  };
  sayNext();
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('{"kind":"result"')) sayNext();
  }
  const [code] = await ended;
  if (code === 0 && waiting.length === 0) return;
  throw new Error(`${program} ${args.join(" ")} ended with exit code ${code}:\n${problems.slice(-2_000)}`);
}
