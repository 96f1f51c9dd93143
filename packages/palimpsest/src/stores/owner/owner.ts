import type { Processes, ProcessMark } from "./processes.ts";

/** Whoever asks: the machine, the process and the clocks that a holder is judged by. */
export interface Place {
  readonly host: string;
  readonly processes: Processes;
  readonly clock: { now(): number };
}

/** A process that holds something, as a row tells of it. */
export interface Owner extends ProcessMark {
  readonly host: string;
  readonly renewedAtMs: number;
  readonly renewedTicksMs: number;
}

/** This process, as a holder that is heard of now. */
export function thisProcess({ host, processes, clock }: Place): Owner {
  return { ...processes.self, host, renewedAtMs: clock.now(), renewedTicksMs: processes.ticksMs() };
}

/**
 * Whether the holder's process still runs. Gone means gone: nobody has its number, or somebody else does. Of another
 * machine, or from within another container, nothing can be said.
 */
export function processState(currentOwner: Owner, { host, processes }: Place): "running" | "gone" | "unknown" {
  if (currentOwner.host !== host || currentOwner.realm !== processes.self.realm) return "unknown";
  const found = processes.find(currentOwner.pid);
  if (found.kind === "absent") return "gone";
  if (found.kind === "unknown" || currentOwner.started === undefined) return "unknown";
  return found.started === currentOwner.started ? "running" : "gone";
}

/**
 * How long nothing was heard of the holder. Within a realm by time that cannot be set and does not pass while the machine
 * sleeps. Elsewhere by wall clocks, which can: a renewal in the future is as far from now as one in the past, because a
 * clock that was once years ahead must not keep a thing held for years.
 */
export function silenceMs(currentOwner: Owner, { host, processes, clock }: Place): number {
  const isSameRealm =
    currentOwner.realm !== undefined && currentOwner.realm === processes.self.realm && currentOwner.host === host;
  return isSameRealm
    ? Math.abs(processes.ticksMs() - currentOwner.renewedTicksMs)
    : Math.abs(clock.now() - currentOwner.renewedAtMs);
}

/** Since a date of the wall clock. Never, and a date in the future (a clock was turned back), are both long ago. */
export function elapsedMs(sinceMs: number | undefined, nowMs: number): number {
  return sinceMs === undefined || sinceMs > nowMs ? Number.POSITIVE_INFINITY : nowMs - sinceMs;
}
