import { hostname } from "node:os";
import type { Budgets, Coordination, Lease, Leases } from "@palimpsest/coordination";
import { checkName } from "../check-name.ts";
import { createDatabase, type TransactionPool } from "../database.ts";
import { createPostgresLeases } from "./postgres-leases.ts";

export interface PostgresCoordinationOptions {
  /** Yours: it is neither configured nor ended here. Its role needs `palimpsest_worker`. */
  readonly pool: TransactionPool;
  readonly tenant: string;
  /** @default the database's clock */
  readonly clock?: { now(): number };
  /** An owner loses its leases after this long without a renewal. @default 300,000 */
  readonly silentAfterMs?: number;
}

/** What the processes of a service share, on any number of machines. */
export interface PostgresCoordination extends Pick<Coordination, "leases" | "budgets" | "close"> {}

/** Keeps leases and daily budgets of one tenant in PostgreSQL. Run `migrate` before. */
export function openPostgresCoordination(options: PostgresCoordinationOptions): PostgresCoordination {
  const { pool, clock, silentAfterMs = 300_000 } = options;
  const tenant = checkName("tenant", options.tenant);
  const nowMs = (): number | null => clock?.now() ?? null;
  const database = createDatabase(pool);
  const taken = new Set<Lease>();
  const leases: Leases = createPostgresLeases({
    database,
    pool,
    tenant,
    nowMs,
    silentAfterMs,
    process: { host: hostname(), pid: process.pid },
    onTaken: (lease) => taken.add(lease),
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
    async close() {
      // A lease that was released before is lost to its handle, and stays unchanged.
      for (const lease of taken) await lease.finish("killed").catch(() => {});
    },
  };
}
