import { resolve } from "node:path";
import type { Store } from "palimpsest";
import { aText, checkOptions } from "palimpsest/schema";
import { createSqliteApprovals } from "./approvals/sqlite-approvals.ts";
import { openCoordinationFile } from "./coordination-file.ts";
import type { DispatchWithQueue } from "./dispatch.ts";
import { createSqliteEvents } from "./events/sqlite-events.ts";
import { createSqliteInbox } from "./inbox/sqlite-inbox.ts";
import { createWakeUp } from "./mail/wake-up.ts";
import { DEFAULT_RUN_QUEUE } from "./schedule/run-queue.ts";
import { createSqliteRunQueue } from "./schedule/sqlite-run-queue.ts";
import { createSqliteSchedule } from "./schedule/sqlite-schedule.ts";
import { waitForWork } from "./schedule/wait-for-work.ts";

/** The file of a dispatch on one machine. Only `file` is required. */
export interface DispatchOptions {
  /** The path of one SQLite file; that of `openCoordination` will do. It is created, for this user only, if it is missing. */
  readonly file: string;
  /** The logs of the sessions: they tell whether a reminder is stale. @default no reminder is stale */
  readonly store?: Pick<Store, "openReader">;
  /** @default the system's clock */
  readonly clock?: { now(): number };
  /** A run is given to another worker after this long without a renewal. @default 5,000 */
  readonly silentAfterMs?: number;
  /** A session is set aside after so many runs in a row that did not come to an end. @default 5 */
  readonly maxAttempts?: number;
  /** How long to wait for a lock that another process holds on the file. @default 5,000 */
  readonly lockTimeoutMs?: number;
  /** How often to look for work and events if the system does not notify. @default 1,000 */
  readonly pollMs?: number;
}

/** Those with rows of sessions. */
const TABLES = ["wakeup", "reminder", "inbox", "approval", "event", "event_stream"];

/** Keeps the schedule, inboxes, approvals and events of one machine's sessions in a SQLite file. Any number of processes may open it. */
export async function openDispatch(options: DispatchOptions): Promise<DispatchWithQueue> {
  checkOptions("openDispatch", options, { file: aText("the path of a file") });
  const { silentAfterMs = DEFAULT_RUN_QUEUE.silentAfterMs, maxAttempts = DEFAULT_RUN_QUEUE.maxAttempts } = options;
  const { clock = { now: Date.now }, lockTimeoutMs = 5_000, pollMs = 1_000, store } = options;
  const file = await openCoordinationFile(resolve(options.file), { lockTimeoutMs });
  const { listen, ring } = createWakeUp(file.path, { pollMs });
  const work = waitForWork(listen);
  const closed = new AbortController();
  const headOf = async (session: string): Promise<number> => {
    const reader = await store?.openReader(session);
    const head = await reader?.head();
    await reader?.close();
    return head?.sequence ?? 0;
  };
  return {
    schedule: createSqliteSchedule({ file, clock, ring }),
    queue: createSqliteRunQueue({ file, clock, silentAfterMs, maxAttempts, headOf, work, ring }),
    inbox: createSqliteInbox({ file, clock, ring }),
    approvals: createSqliteApprovals({ file, clock, ring }),
    events: createSqliteEvents({ file, clock, listen, ring, closed: closed.signal }),
    forget: (session) =>
      file.write(({ statement }) => {
        for (const table of TABLES) statement(`DELETE FROM ${table} WHERE session = ?`).run(session);
      }),
    async close() {
      work.close();
      closed.abort();
      await file.close();
    },
  };
}
