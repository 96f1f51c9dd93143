import { hostname } from "node:os";
import type { Budgets, Coordination, Lease, Leases, Mailbox, Mailboxes } from "@palimpsest/coordination";
import { DEFAULT_MAIL_LIMITS } from "@palimpsest/coordination/parts";
import { checkName } from "../check-name.ts";
import { createDatabase, type TransactionPool } from "../database.ts";
import type { KeyRing } from "../key-ring/key-ring.ts";
import { sealsFor } from "../key-ring/tenant-seals.ts";
import { createPostgresLeases } from "./postgres-leases.ts";
import { createPostgresMailboxes } from "./postgres-mailboxes.ts";

/** The pool, the tenant, and the lifetime of leases. */
export interface PostgresCoordinationOptions {
  /** Yours: it is neither configured nor ended here. Its role needs `palimpsest_worker`. */
  readonly pool: TransactionPool;
  readonly tenant: string;
  /** @default the database's clock */
  readonly clock?: { now(): number };
  /**
   * An owner loses its leases after this long without a renewal, and a mailbox its name. Mailboxes are renewed as long as their
   * process runs. @default 300,000
   */
  readonly silentAfterMs?: number;
  /** Larger messages are refused. @default 262,144 */
  readonly maxMessageBytes?: number;
  /** How many messages may wait for one agent. @default 10,000 */
  readonly maxWaiting?: number;
  /** How often a mailbox that waits looks for mail: one small query each time. @default 2,000 */
  readonly pollMs?: number;
  /** Encrypts messages. @default nothing is encrypted */
  readonly keyRing?: KeyRing;
}

/**
 * Keeps what the processes of a service share in PostgreSQL, on any number of machines: leases, daily budgets and mailboxes of one
 * tenant. Run `migrate` before.
 */
export function openPostgresCoordination(options: PostgresCoordinationOptions): Coordination {
  const { pool, clock, keyRing, silentAfterMs = 300_000, pollMs = 2_000 } = options;
  const { maxMessageBytes, maxWaiting } = { ...DEFAULT_MAIL_LIMITS, ...options };
  const tenant = checkName("tenant", options.tenant);
  const nowMs = (): number | null => clock?.now() ?? null;
  const database = createDatabase(pool);
  const taken = new Set<Lease>();
  const registered = new Set<Mailbox>();
  const shared = { database, tenant, nowMs, silentAfterMs, process: { host: hostname(), pid: process.pid } };
  const leases: Leases = createPostgresLeases({ ...shared, pool, onTaken: (lease) => taken.add(lease) });
  const mailboxes: Mailboxes = createPostgresMailboxes({
    ...shared,
    pollMs,
    seals: sealsFor(keyRing, tenant),
    limits: { maxMessageBytes, maxWaiting },
    onRegistered: (mailbox) => registered.add(mailbox),
  });
  const budgets: Budgets = {
    daily: (name, limitTokens) => ({
      async leftTokens() {
        const [row] = await database.call("spent_tokens", [tenant, name, nowMs()]);
        return limitTokens - Number(row?.["spent_tokens"]);
      },
      async spend(tokens) {
        await database.call("spend_tokens", [tenant, name, tokens, nowMs()]);
      },
    }),
  };
  return {
    leases,
    budgets,
    mailboxes,
    async close() {
      for (const mailbox of registered) await mailbox.stop().catch(() => {});
      // A lease that was released before is lost to its handle, and stays unchanged.
      for (const lease of taken) await lease.finish("killed").catch(() => {});
    },
  };
}
