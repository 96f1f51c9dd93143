import type { Processes, ProcessMark } from "../owner.ts";

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
