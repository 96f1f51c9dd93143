import { hostname } from "node:os";
import { resolve } from "node:path";
import { aText, checkOptions } from "palimpsest/schema";
import { type Place, type Processes, systemProcesses } from "palimpsest/sqlite";
import { createBudgets } from "./budgets/budgets.ts";
import type { Coordination } from "./coordination.ts";
import { openCoordinationFile } from "./coordination-file.ts";
import type { Lease } from "./leases/lease.ts";
import { createLeases } from "./leases/leases.ts";
import type { Mailbox } from "./mail/mailbox.ts";
import { createMailboxes } from "./mail/mailboxes.ts";
import { DEFAULT_MAIL_LIMITS } from "./mail/message.ts";
import { createWakeUp } from "./mail/wake-up.ts";

/** The file that the sessions of a machine share. Only `file` is required. */
export interface CoordinationOptions {
  /**
   * The path of one small SQLite file for all sessions of a home directory. It is created, for this user only, if it is
   * missing.
   */
  readonly file: string;
  /** @default the system's clock */
  readonly clock?: { now(): number };
  /** @default the system's name for this machine */
  readonly host?: string;
  /** @default the system's information about its processes */
  readonly processes?: Processes;
  /** An owner that may be alive loses its leases after this long without activity. @default 300,000 */
  readonly silentAfterMs?: number;
  /**
   * How long to wait for a lock that another process holds on the file, in real time, without blocking the process. @default
   * 5,000
   */
  readonly lockTimeoutMs?: number;
  /** Larger messages are refused. @default 262,144 */
  readonly maxMessageBytes?: number;
  /**
   * How many messages may wait for one agent.
   * @default 10,000
   */
  readonly maxWaiting?: number;
  /** How often to look for mail if the system does not notify. @default 2,000 */
  readonly pollMs?: number;
}

const DEFAULT_HOME: Required<Omit<CoordinationOptions, "file" | "clock" | "host" | "processes">> = {
  // Five renewals of the usual minute. A process that slept through them may wake up; its writes are refused then.
  silentAfterMs: 300_000,
  // A transaction of ours takes milliseconds; one that is held for a guarded write, tenths of a second.
  lockTimeoutMs: 5_000,
  ...DEFAULT_MAIL_LIMITS,
  pollMs: 2_000,
};

/** The state that the sessions of one home directory share, in one file. */
export interface SqliteCoordination extends Coordination {
  /** Its whole path. */
  readonly file: string;
}

/**
 * Opens the file that the sessions of a home directory share (write-ahead log, `synchronous=FULL`: acknowledged writes are
 * synced). Any number of processes may use it at the same time, on a local disk.
 */
export async function openCoordination(options: CoordinationOptions): Promise<SqliteCoordination> {
  checkOptions("openCoordination", options, { file: aText("the path of the home's file") });
  const { silentAfterMs, lockTimeoutMs, maxMessageBytes, maxWaiting, pollMs } = { ...DEFAULT_HOME, ...options };
  const place: Place = {
    host: options.host ?? hostname(),
    processes: options.processes ?? systemProcesses(),
    clock: options.clock ?? { now: Date.now },
  };
  const file = await openCoordinationFile(resolve(options.file), { lockTimeoutMs });
  const leases = new Set<Lease>();
  const mailboxes = new Set<Mailbox>();
  return {
    file: file.path,
    leases: createLeases({ file, place, silentAfterMs, onTaken: (lease) => leases.add(lease) }),
    budgets: createBudgets({ file, clock: place.clock }),
    mailboxes: createMailboxes({
      file,
      place,
      silentAfterMs,
      wakeUp: createWakeUp(file.path, { pollMs }),
      limits: { maxMessageBytes, maxWaiting },
      onRegistered: (mailbox) => mailboxes.add(mailbox),
    }),
    async close() {
      for (const mailbox of mailboxes) await mailbox.stop().catch(() => {});
      // A lease that was released before is lost to its handle, and stays unchanged.
      for (const lease of leases) await lease.finish("killed").catch(() => {});
      await file.close();
    },
  };
}
