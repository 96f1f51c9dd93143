// Identifies the process that owns something, and decides whether that process still runs.
import { readFileSync, readlinkSync } from "node:fs";

/** The current machine, process and clocks, which owners are compared with. */
export interface Place {
  readonly host: string;
  readonly processes: Processes;
  readonly clock: { now(): number };
}

/** The process that owns something, as stored in a row. */
export interface Owner extends ProcessMark {
  readonly host: string;
  readonly renewedAtMs: number;
  readonly renewedTicksMs: number;
}

/** Describes this process as an owner that was active just now. */
export function thisProcess({ host, processes, clock }: Place): Owner {
  return { ...processes.self, host, renewedAtMs: clock.now(), renewedTicksMs: processes.ticksMs() };
}

/**
 * Returns whether the owner's process still runs. It is gone if nobody has its number, or another process has. About another
 * machine, or from within another container, the answer is `unknown`.
 */
export function processState(currentOwner: Owner, { host, processes }: Place): "running" | "gone" | "unknown" {
  if (currentOwner.host !== host || currentOwner.realm !== processes.self.realm) return "unknown";
  const found = processes.find(currentOwner.pid);
  if (found.kind === "absent") return "gone";
  if (found.kind === "unknown" || currentOwner.started === undefined) return "unknown";
  return found.started === currentOwner.started ? "running" : "gone";
}

/**
 * Returns how long the owner has been silent. Within a realm this is measured by a clock that cannot be set and stops while the
 * machine sleeps. Elsewhere it is measured by wall clocks: a renewal in the future counts like one equally far in the past,
 * because a clock that was once years ahead must not keep something owned for years.
 */
export function silenceMs(currentOwner: Owner, { host, processes, clock }: Place): number {
  const isSameRealm =
    currentOwner.realm !== undefined && currentOwner.realm === processes.self.realm && currentOwner.host === host;
  return isSameRealm
    ? Math.abs(processes.ticksMs() - currentOwner.renewedTicksMs)
    : Math.abs(clock.now() - currentOwner.renewedAtMs);
}

/** Returns the time since a wall-clock date. "Never" and a date in the future (a clock was set back) both count as long ago. */
export function elapsedMs(sinceMs: number | undefined, nowMs: number): number {
  return sinceMs === undefined || sinceMs > nowMs ? Number.POSITIVE_INFINITY : nowMs - sinceMs;
}

/** The system's information about processes. A port, because some systems have little information. */
export interface Processes {
  readonly self: ProcessMark;
  /** The process that has this number now. `unknown`: there may be one. */
  find(pid: number): FoundProcess;
  /** A clock that never jumps, the same for all processes of a realm. */
  ticksMs(): number;
}

/** The identity of a process, beyond the life of its number. */
export interface ProcessMark {
  readonly pid: number;
  /** The start time in the system's own unit; distinguishes the process from a later one with the same number. */
  readonly started?: string;
  /**
   * The scope in which process numbers and `ticksMs` are comparable: this boot of the machine, these namespaces. Two containers
   * on one machine may both have a process 7.
   */
  readonly realm?: string;
}

/** Whether a process runs, as far as the system can tell. */
export type FoundProcess =
  | { readonly kind: "running"; readonly started: string }
  | { readonly kind: "absent" }
  | { readonly kind: "unknown" };

/**
 * Linux has all of the information. Other systems only say whether a process with that number exists, not whether it is the
 * same.
 */
export function systemProcesses(): Processes {
  const ticksMs = (): number => Number(process.hrtime.bigint() / 1_000_000n);
  if (process.platform !== "linux") return { self: { pid: process.pid }, find: findBySignal, ticksMs };
  try {
    const self = markSelf();
    return { self, find: findInProc, ticksMs };
  } catch {
    // There is no /proc, or it belongs to another namespace with other process numbers.
    return { self: { pid: process.pid }, find: () => ({ kind: "unknown" }), ticksMs };
  }
}

function markSelf(): ProcessMark {
  const { pid } = process;
  if (readlinkSync("/proc/self") !== String(pid)) throw new Error("/proc belongs to another namespace");
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  const realm = [boot, ...["pid", "time"].map((name) => namespaceOf(name))].join(" ");
  return { pid, started: readStart(pid).started, realm };
}

/** Kernels before 5.6 have no time namespaces. */
function namespaceOf(name: string): string {
  try {
    return readlinkSync(`/proc/self/ns/${name}`);
  } catch {
    return `${name}:none`;
  }
}

/** Field 22 is the start in clock ticks since the machine's start; before it stands a name that may hold anything. */
function readStart(pid: number): { state: string; started: string } {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, started] = [fields[0], fields[19]];
  if (state === undefined || started === undefined) throw new Error(`/proc/${pid}/stat has ${fields.length} fields`);
  return { state, started };
}

function findInProc(pid: number): FoundProcess {
  try {
    const { state, started } = readStart(pid);
    // The process has ended; only its parent has not collected the exit status yet.
    return state === "Z" || state === "X" ? { kind: "absent" } : { kind: "running", started };
  } catch {
    // /proc may hide the processes of other users; a signal finds them.
    return findBySignal(pid);
  }
}

function findBySignal(pid: number): FoundProcess {
  try {
    process.kill(pid, 0);
    return { kind: "unknown" };
  } catch (error) {
    return { kind: error instanceof Error && "code" in error && error.code === "ESRCH" ? "absent" : "unknown" };
  }
}
