import type { Dispatch, RunQueue } from "@palimpsest/coordination";
import { DEFAULT_RUN_QUEUE, waitForWork } from "@palimpsest/coordination/parts";
import { checkName } from "../check-name.ts";
import { createDatabase, type Pool } from "../database.ts";
import type { KeyRing } from "../key-ring/key-ring.ts";
import { sealsFor } from "../key-ring/tenant-seals.ts";
import type { FleetOverview } from "./fleet-overview.ts";
import { createNotifier, SILENT } from "./notifier.ts";
import { createPostgresApprovals } from "./postgres-approvals.ts";
import { createPostgresEvents } from "./postgres-events.ts";
import { createPostgresInbox } from "./postgres-inbox.ts";
import { createListener, type ListenConnection } from "./postgres-listener.ts";
import { createPostgresRunQueue } from "./postgres-run-queue.ts";
import { createPostgresSchedule } from "./postgres-schedule.ts";
import { createWatchedStreams } from "./watched-streams.ts";

/** The pool, and how workers learn of new work. */
export interface PostgresDispatchOptions {
  /** Yours: it is neither configured nor ended here. Its role needs `palimpsest_worker`, and `palimpsest_dispatcher` to use `queue`. */
  readonly pool: Pool;
  /**
   * Connects straight to the server, not through a pooler, so that news arrives at once: `async () => { const client = new pg.Client(url);
   * await client.connect(); return client; }`. @default news is found by polling alone
   */
  readonly listen?: () => Promise<ListenConnection>;
  /**
   * Whether those that listen are notified of what happens here, up to 100 times a second. A front end that only wakes and answers
   * notifies without listening. @default "always" if `listen` is given, else "never"
   */
  readonly notify?: "always" | "never";
  /** How often to look for work and events. @default 250, and 2,000 if `listen` is given */
  readonly pollMs?: number;
  /** @default the database's clock */
  readonly clock?: { now(): number };
  /** A run is given to another worker after this long without a renewal. @default 5,000 */
  readonly silentAfterMs?: number;
  /** A session is set aside after so many runs in a row that did not come to an end. @default 5 */
  readonly maxAttempts?: number;
  /** Encrypts inboxes, questions, answers and events. @default nothing is encrypted */
  readonly keyRing?: KeyRing;
}

/** The schedules, inboxes, approvals and events of all tenants in one database, as seen by one process. */
export interface PostgresDispatch {
  /** Of one tenant. Costs nothing: make one for each request, if that is simplest. */
  tenant(tenant: string): Dispatch;
  /** The sessions that are to run, of all tenants. */
  readonly queue: RunQueue;
  /** Reads what all workers do and have to do, of all tenants. The role needs `palimpsest_operator`. @default limit 20, of each list */
  overview(options?: { readonly limit?: number }): Promise<FleetOverview>;
  /** Ends what is watched and waited for here. Runs that were taken stay taken until they are silent for too long. */
  close(): Promise<void>;
}

/** Lets any number of machines run the sessions of all tenants, and their users watch and answer them. Run `migrate` before. */
export function openPostgresDispatch(options: PostgresDispatchOptions): PostgresDispatch {
  const { pool, listen, clock, keyRing } = options;
  const { silentAfterMs = DEFAULT_RUN_QUEUE.silentAfterMs, maxAttempts = DEFAULT_RUN_QUEUE.maxAttempts } = options;
  const { notify = listen === undefined ? "never" : "always", pollMs = listen === undefined ? 250 : 2_000 } = options;
  const database = createDatabase(pool);
  const listener = listen === undefined ? undefined : createListener(listen);
  const streams = createWatchedStreams({ database, pollMs, listener });
  const closed = new AbortController();
  const nowMs = (): number | null => clock?.now() ?? null;
  const notifier = notify === "always" ? createNotifier(database) : SILENT;
  const work = waitForWork((onRing) => {
    const timer = setInterval(onRing, pollMs);
    const heard = listener?.listen("work", onRing);
    return {
      stop() {
        clearInterval(timer);
        heard?.stop();
      },
    };
  });
  return {
    tenant(name) {
      const tenant = checkName("tenant", name);
      const seals = sealsFor(keyRing, tenant);
      return {
        schedule: createPostgresSchedule({ database, tenant, nowMs, notifier }),
        inbox: createPostgresInbox({ database, tenant, nowMs, notifier, seals }),
        approvals: createPostgresApprovals({ database, tenant, nowMs, notifier, seals }),
        events: createPostgresEvents({ database, tenant, seals, streams, notifier, closed: closed.signal, nowMs }),
        async forget(session) {
          await database.call("forget_session", [tenant, session]);
        },
      };
    },
    queue: createPostgresRunQueue({ database, silentAfterMs, maxAttempts, work, notifier, nowMs }),
    async overview({ limit = 20 } = {}) {
      const [row] = await database.call("fleet_overview", [limit, nowMs()]);
      return row!["fleet_overview"] as FleetOverview;
    },
    async close() {
      work.close();
      closed.abort();
      await listener?.close();
    },
  };
}
