import { hostname } from "node:os";
import { resolve } from "node:path";
import type { Place } from "./holder.ts";
import { openHomeFile } from "./home-file.ts";
import type { Lease } from "./leases/lease.ts";
import { createLeases, type Leases } from "./leases/leases.ts";
import { type Processes, systemProcesses } from "./processes.ts";

export interface HomeOptions {
  /** One small SQLite file for all sessions of a home directory. Made, for this user only, where there is none. */
  readonly file: string;
  /** @default the system's clock */
  readonly clock?: { now(): number };
  /** @default the system's name for this machine */
  readonly host?: string;
  /** @default what the system tells of its processes */
  readonly processes?: Processes;
  /**
   * A holder that may be alive and has not been heard of for so long has lost what it held.
   * @default 300,000
   */
  readonly silentAfterMs?: number;
  /**
   * How long to wait for a lock that another process holds on the file, in real time. The process goes on meanwhile.
   * @default 5,000
   */
  readonly lockTimeoutMs?: number;
}

export const DEFAULT_HOME: Required<Pick<HomeOptions, "silentAfterMs" | "lockTimeoutMs">> = {
  // Five renewals of the usual minute. A process that slept through them may wake again; its writes are refused then.
  silentAfterMs: 300_000,
  // A transaction of ours takes milliseconds; one that is held for a guarded write, tenths of a second.
  lockTimeoutMs: 5_000,
};

/** What the sessions of one home directory share, whatever process they run in. */
export interface Home {
  readonly file: string;
  readonly leases: Leases;
  /** Gives back what is still held here: leases end as `killed`. */
  close(): Promise<void>;
}

/**
 * Opens the file that the sessions of a home directory share (write-ahead log, `synchronous=FULL`: what was acknowledged is
 * synced). Any number of processes may use it at the same time, on a local disk.
 */
export async function openHome(options: HomeOptions): Promise<Home> {
  const { silentAfterMs, lockTimeoutMs } = { ...DEFAULT_HOME, ...options };
  const place: Place = {
    host: options.host ?? hostname(),
    processes: options.processes ?? systemProcesses(),
    clock: options.clock ?? { now: Date.now },
  };
  const file = await openHomeFile(resolve(options.file), { lockTimeoutMs });
  const taken = new Set<Lease>();
  return {
    file: file.path,
    leases: createLeases({ file, place, silentAfterMs, onTaken: (lease) => taken.add(lease) }),
    async close() {
      // One that was finished before is lost to its handle, and stays as it is.
      for (const lease of taken) await lease.finish("killed").catch(() => {});
      await file.close();
    },
  };
}
