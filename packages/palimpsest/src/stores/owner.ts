// Identifies the process that owns something, and decides whether that process still runs.

import { readFileSync, readlinkSync } from "node:fs";

/** The current machine, process and clock, with which owners are compared. */
export interface Place {
  readonly host: string;
  readonly processes: Processes;
  readonly clock: { now(): number };
}

/** The process that owns a resource, as stored in a row or a file. */
export interface Owner extends ProcessMark {
  readonly host: string;
  readonly renewedAtMs: number;
  readonly renewedTicksMs: number;
}

/** Describes this process as an owner that is active now. */
export function thisProcess({ host, processes, clock }: Place): Owner {
  return { ...processes.self, host, renewedAtMs: clock.now(), renewedTicksMs: processes.ticksMs() };
}

/**
 * Returns whether the owner's process still runs. It is gone if its process id is free or belongs to another process. For an owner
 * on another machine or in another container, the answer is `unknown`.
 */
export function processState(currentOwner: Owner, { host, processes }: Place): "running" | "gone" | "unknown" {
  if (currentOwner.host !== host || currentOwner.realm !== processes.self.realm) return "unknown";
  const found = processes.find(currentOwner.pid);
  if (found.kind === "absent") return "gone";
  if (found.kind === "unknown" || currentOwner.started === undefined) return "unknown";
  return found.started === currentOwner.started ? "running" : "gone";
}

/**
 * Returns the time since the owner's last renewal. Within a realm, a monotonic clock measures this time. It cannot be set, and it
 * stops while the machine sleeps. Otherwise wall clocks measure it: a renewal in the future counts like one equally far in the
 * past, because a clock that was once years ahead must not keep a resource owned for years.
 */
export function silenceMs(currentOwner: Owner, { host, processes, clock }: Place): number {
  const isSameRealm =
    currentOwner.realm !== undefined && currentOwner.realm === processes.self.realm && currentOwner.host === host;
  return isSameRealm
    ? Math.abs(processes.ticksMs() - currentOwner.renewedTicksMs)
    : Math.abs(clock.now() - currentOwner.renewedAtMs);
}

/** Returns the time since a wall-clock date. A missing date, or one in the future (a clock was set back), counts as long ago. */
export function elapsedMs(sinceMs: number | undefined, nowMs: number): number {
  return sinceMs === undefined || sinceMs > nowMs ? Number.POSITIVE_INFINITY : nowMs - sinceMs;
}

/** A port to the system's information about processes, because some systems provide little information. */
export interface Processes {
  readonly self: ProcessMark;
  /** Finds the process with this id. `unknown`: the process may exist. */
  find(pid: number): FoundProcess;
  /** Reads a monotonic clock that all processes of a realm share. */
  ticksMs(): number;
}

/** Identifies a process, even after its process id was reused. */
export interface ProcessMark {
  readonly pid: number;
  /** The start time in the system's own unit. It distinguishes the process from a later process with the same id. */
  readonly started?: string;
  /**
   * The scope in which process ids and `ticksMs` are comparable: one boot of the machine and one set of namespaces. Two containers on
   * one machine may both have a process 7.
   */
  readonly realm?: string;
}

/** Whether a process runs, as far as the system can tell. */
export type FoundProcess =
  | { readonly kind: "running"; readonly started: string }
  | { readonly kind: "absent" }
  | { readonly kind: "unknown" };

/**
 * Returns what this system can tell about processes. Linux identifies a process uniquely. Other systems tell only whether a
 * process with a given id exists.
 */
export function systemProcesses(): Processes {
  const ticksMs = (): number => Number(process.hrtime.bigint() / 1_000_000n);
  if (process.platform !== "linux") return { self: { pid: process.pid }, find: findBySignal, ticksMs };
  try {
    const self = markSelf();
    return { self, find: findInProc, ticksMs };
  } catch {
    // /proc is missing, or belongs to another namespace with other process ids.
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

/** Returns the id of a namespace; "none" on kernels without it (before 5.6, kernels have no time namespaces). */
function namespaceOf(name: string): string {
  try {
    return readlinkSync(`/proc/self/ns/${name}`);
  } catch {
    return `${name}:none`;
  }
}

/** Reads the state and the start time (field 22, in clock ticks since boot). The process name before them may contain any character. */
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
    // A zombie has ended, but its parent has not collected the exit status yet.
    return state === "Z" || state === "X" ? { kind: "absent" } : { kind: "running", started };
  } catch {
    // /proc may hide processes of other users, but a signal can detect them.
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
