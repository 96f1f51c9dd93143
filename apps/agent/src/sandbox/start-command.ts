import { type ChildProcess, execFile, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { PassThrough, type Readable } from "node:stream";
import { setImmediate as nextLoop, setTimeout as pause } from "node:timers/promises";
import { sanitize, sanitizeStream } from "palimpsest/sanitize";
import type { Environment } from "../workspace/command-environment.ts";
import { systemOf } from "../workspace/system.ts";
import type { Enclosed, EnclosedEnd } from "./create-encloser.ts";
import { changeNote, type ProjectChange } from "./describe-changes.ts";

interface CommandOptions {
  /** A line, or several, for bash. */
  readonly command: string;
  /** Where it begins. */
  readonly folder: string;
  readonly environment: Environment;
  /** The path of bash. */
  readonly shell: string;
  /** @default it runs with all the rights of the user */
  readonly enclosed?: Enclosed;
  /** Free space on the disk of its folder, with less of which it is ended. @default none */
  readonly minFreeBytes?: number;
  /** @default none: it may run for ever */
  readonly timeoutMs?: number;
}

export interface CommandEnd {
  readonly by: "itself" | "timeout" | "kill" | "full-disk";
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** The working folder that it ended in, if it said so. */
  readonly folder: string | undefined;
  /** What the sandbox has to say of it to the model, one line each. */
  readonly notes: readonly string[];
  /** Names that programs of the user obey and that it has made. */
  readonly changes: readonly ProjectChange[];
}

export interface RunningCommand {
  /** Standard output and standard error as they come, made harmless. Who does not read holds the command up. */
  readonly output: AsyncIterable<string>;
  /** Resolves when all of its process group is gone. Rejects if it could not be started. */
  readonly ended: Promise<CommandEnd>;
  kill(): void;
  /** Lifts the time limit. */
  unlimit(): void;
}

/** Where bubblewrap tells the pid of the sandbox's first process; the seccomp filter is read from the one before. */
const INFO_DESCRIPTOR = 5;
/** Between being asked to end and being made to. */
const GRACE_MS = 1_000;
/** The folder is told on a pipe of its own, at the end, however the command ends. */
const SCRIPT = `trap 'pwd -P >&3' EXIT; exec 2>&1; eval "$1"`;

/**
 * Starts a command in a process group of its own. When it ends or its time is up, the whole group is ended, so what it leaves
 * in the background ends with it. Its pipes are not waited for: who has left the group (`setsid`) may hold them.
 */
export function startCommand({
  command,
  folder,
  environment,
  shell,
  enclosed,
  minFreeBytes,
  timeoutMs,
}: CommandOptions): RunningCommand {
  const script = enclosed === undefined ? SCRIPT : `${enclosed.limits}; ${SCRIPT}`;
  const startedBy = enclosed === undefined ? [] : tellingItsPid(enclosed.startedBy);
  const line = [...startedBy, shell, "--noprofile", "--norc", "-c", script, "bash", command];
  const [program, ...args] = line;
  const filter = enclosed === undefined ? undefined : openSync(enclosed.filterFile, "r");
  const child = spawn(program!, args, {
    // The sandbox goes to the folder itself.
    cwd: enclosed === undefined ? folder : "/",
    env: { ...environment, ...enclosed?.environment },
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "pipe", ...(filter === undefined ? [] : [filter, "pipe" as const])],
  });
  if (filter !== undefined) closeSync(filter);
  const [stdout, stderr, folderPipe] = child.stdio.slice(1, 4) as Readable[] as [Readable, Readable, Readable];
  const merged = new PassThrough();
  for (const pipe of [stdout, stderr]) {
    pipe.on("error", () => undefined);
    pipe.pipe(merged, { end: false });
  }
  let told = "";
  folderPipe.on("error", () => undefined);
  folderPipe.on("data", (chunk: Buffer) => {
    told = (told + chunk.toString("utf8")).slice(-8_192);
  });
  const [infoPipe] = child.stdio.slice(INFO_DESCRIPTOR) as (Readable | undefined)[];
  const inner = watchInner(infoPipe);
  let by: CommandEnd["by"] = "itself";
  let force: NodeJS.Timeout | undefined;
  function stop(why: CommandEnd["by"]): void {
    if (by !== "itself" || child.exitCode !== null || child.signalCode !== null) return;
    by = why;
    void inner.known.then(() => {
      signalGroup(child, "SIGTERM");
      inner.kill();
    });
    force = setTimeout(() => signalGroup(child, "SIGKILL"), GRACE_MS);
  }
  const deadline = timeoutMs === undefined ? undefined : setTimeout(() => stop("timeout"), timeoutMs);
  const unguard = minFreeBytes === undefined ? undefined : guardDisk(folder, minFreeBytes, () => stop("full-disk"));
  const ended = new Promise<CommandEnd>((resolve, reject) => {
    child.on("error", async (error) => {
      clearTimeout(deadline);
      unguard?.();
      merged.end();
      await enclosed?.finish();
      reject(new Error(`${program} could not be started in ${folder}: ${error.message}`));
    });
    child.on("exit", async (exitCode, signal) => {
      clearTimeout(deadline);
      clearTimeout(force);
      unguard?.();
      signalGroup(child, "SIGKILL");
      if (signal !== null) inner.kill();
      await readLastOutput([stdout, stderr, folderPipe], merged);
      for (const pipe of [stdout, stderr, folderPipe]) pipe.destroy();
      merged.end();
      // Anything can be written to that pipe.
      const reached = sanitize(told).trimEnd().split("\n").at(-1);
      const { refused, changes, problem } = await finished(enclosed);
      const notes = [
        ...refused.map((host) => `[refused: ${host}. Name it in network to ask the user for it.]`),
        ...changes.map(changeNote),
        ...(problem === undefined ? [] : [`[${problem}]`]),
      ];
      resolve({
        by,
        exitCode: exitCode ?? undefined,
        signal: signal ?? undefined,
        folder: reached || undefined,
        notes,
        changes,
      });
    });
  });
  // Whoever reads the output first may be late to hear of it.
  ended.catch(() => undefined);
  return { output: sanitizeStream(merged), ended, kill: () => stop("kill"), unlimit: () => clearTimeout(deadline) };
}

/** The arguments for bubblewrap, which tells the pid of the sandbox's first process on a pipe of its own. */
function tellingItsPid(startedBy: readonly string[]): readonly string[] {
  return [...startedBy.slice(0, -1), "--info-fd", String(INFO_DESCRIPTOR), ...startedBy.slice(-1)];
}

interface InnerProcess {
  /** Resolves when its pid is known, or when there is none to wait for. */
  readonly known: Promise<void>;
  kill(): void;
}

/**
 * The first process in the sandbox. It ends with bubblewrap, but only once it has mounted everything: if bubblewrap is killed
 * before, it goes on alone. So it is killed, too. Nothing runs in the sandbox before its pid is told.
 */
function watchInner(pipe: Readable | undefined): InnerProcess {
  let told = "";
  let killed: "not-yet" | "done" = "not-yet";
  const known = new Promise<void>((resolve) => {
    if (pipe === undefined) return resolve();
    pipe.on("error", () => resolve());
    pipe.on("close", () => resolve());
    pipe.on("data", (chunk: Buffer) => {
      told += chunk.toString("utf8");
      if (pidIn(told) !== undefined) resolve();
    });
  });
  return {
    known,
    kill() {
      const pid = pidIn(told);
      if (pid === undefined || killed === "done") return;
      killed = "done";
      signal(pid, "SIGKILL");
    },
  };
}

function pidIn(told: string): number | undefined {
  const [, pid] = /"child-pid": (\d+)\D/.exec(told) ?? [];
  return pid === undefined ? undefined : Number(pid);
}

async function finished(enclosed: Enclosed | undefined): Promise<EnclosedEnd & { readonly problem?: string }> {
  const nothing: EnclosedEnd = { refused: [], changes: [] };
  if (enclosed === undefined) return nothing;
  return enclosed.finish().catch((error: Error) => ({ ...nothing, problem: error.message }));
}

function signalGroup({ pid }: ChildProcess, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  const [program, ...args] = systemOf().endTree(pid) ?? [];
  if (program === undefined) signal(-pid, name);
  else execFile(program, args, () => undefined);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Nothing of it is left.
  }
}

/** What was written and not read when a command ended comes within this time, or is held by who runs on. */
const LAST_OUTPUT_MS = 100;

/** Resolves when the pipes are at their end, or when nothing comes any more although there is somebody to read it. */
export async function readLastOutput(pipes: readonly Readable[], merged: PassThrough): Promise<void> {
  let coming: boolean;
  for (const pipe of pipes) {
    pipe.on("data", () => {
      coming = true;
    });
  }
  const allEnded = Promise.all(pipes.map(endOf)).then(() => "ended" as const);
  do {
    coming = false;
    // Timers come before pipes in a turn of the event loop: what came while this process got no turn is read only after the timer.
    const passed = pause(LAST_OUTPUT_MS).then(() => nextLoop());
    if ((await Promise.race([allEnded, passed])) === "ended") return;
  } while (coming || merged.writableNeedDrain);
}

function endOf(pipe: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (pipe.readableEnded || pipe.destroyed) resolve();
    else pipe.once("close", resolve);
  });
}

const INTERVAL_MS = 1_000;

/**
 * Looks at the free space of a file system while a command runs: a full disk is everybody's, and no limit of a process covers many
 * files. A disk that was full before is not the command's doing.
 * @returns ends it
 */
export function guardDisk(folder: string, minFreeBytes: number, onFull: () => void): () => void {
  let atStart: "enough" | "little" | "unknown" = "unknown";
  async function look(): Promise<void> {
    const { bavail, bsize } = await statfs(folder);
    const isEnough = bavail * bsize >= minFreeBytes;
    if (atStart === "unknown") atStart = isEnough ? "enough" : "little";
    else if (atStart === "enough" && !isEnough) onFull();
  }
  const start = look().catch(() => undefined);
  const timer = setInterval(() => void start.then(look).catch(() => undefined), INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}
