import { randomUUID } from "node:crypto";
import type { DatabaseEvent } from "palimpsest/telemetry";
import type { Database } from "./database.ts";

/** The time, and a timer that renews leases. */
export interface PostgresClock {
  /** Decides leases instead of the database's clock. */
  now(): number;
  /** Calls `work` repeatedly, until the returned function is called. */
  repeat(everyMs: number, work: () => Promise<void>): () => void;
}

export interface Heartbeat {
  /** The name of this process in the sessions that it writes. */
  readonly worker: string;
  /** Starts with the first open writer, and ends with the last. */
  enter(): void;
  leave(): void;
}

export interface HeartbeatOptions {
  readonly database: Database;
  readonly clock?: PostgresClock | undefined;
  readonly leaseMs: number;
  readonly onEvent?: ((event: DatabaseEvent) => void) | undefined;
}

/** A missed or late beat costs nothing. */
const BEATS_PER_LEASE = 3;
/** Timers take at most 24 days, and observers want to see regular beats. */
const MAX_BETWEEN_MS = 60_000;

/** Renews one row for all sessions that this process has open: ten thousand of them cost one small write in ten seconds. */
export function createHeartbeat({ database, clock, leaseMs, onEvent }: HeartbeatOptions): Heartbeat {
  const worker = randomUUID();
  const repeat = clock?.repeat ?? repeatByTimer;
  let open = 0;
  let stop: (() => void) | undefined;
  const everyMs = Math.min(leaseMs / BEATS_PER_LEASE, MAX_BETWEEN_MS);
  const nowMs = clock?.now ?? (() => performance.now());
  let renewedAtMs = 0;

  async function beat(): Promise<void> {
    // The next beat tries again; a process that was silent for its lease may be replaced, and learns that when it writes.
    const renewed = database.call("renew_worker", [worker, clock?.now() ?? null, leaseMs]);
    const outcome = await renewed.then(() => "renewed" as const).catch(() => "failed" as const);
    onEvent?.({ kind: "heartbeat", lateMs: Math.max(0, nowMs() - renewedAtMs - everyMs), outcome });
    if (outcome === "renewed") renewedAtMs = nowMs();
  }

  return {
    worker,
    enter() {
      open++;
      if (stop !== undefined || leaseMs <= 0) return;
      // The session was opened just now, which says as much.
      renewedAtMs = nowMs();
      stop = repeat(everyMs, beat);
    },
    leave() {
      open--;
      if (open > 0) return;
      stop?.();
      stop = undefined;
    },
  };
}

function repeatByTimer(everyMs: number, work: () => Promise<void>): () => void {
  const timer = setInterval(() => void work(), everyMs).unref();
  return () => clearInterval(timer);
}
