import type { Store } from "palimpsest";
import type { DatabaseEvent } from "palimpsest/telemetry";
import { checkName } from "./check-name.ts";
import { createDatabase, type Pool } from "./database.ts";
import { createHeartbeat, type PostgresClock } from "./heartbeat.ts";
import type { KeyRing } from "./key-ring/key-ring.ts";
import { sealsFor, type TenantSeals } from "./key-ring/tenant-seals.ts";
import { postgresStore } from "./postgres-store.ts";
import type { LargeResults } from "./results/postgres-results.ts";
import { type PostgresTenants, postgresTenants } from "./tenants/postgres-tenants.ts";

/** The pool and its limits. Only `pool` is required. */
export interface PostgresOptions {
  /** Yours: it is neither configured nor ended here. Its role needs `palimpsest_worker`. */
  readonly pool: Pool;
  /** @default the database's clock, and timers that do not keep the process alive */
  readonly clock?: PostgresClock;
  /**
   * How long a silent writer still counts as alive. It is renewed every third of that, for all sessions of the process at once.
   * The lease is only a courtesy: a replaced writer cannot write, whatever the clocks say. @default 30,000
   */
  readonly leaseMs?: number;
  /** Keeps results beyond a size in a bucket; `sweepObjects` removes those of deleted results. @default all results are in the database */
  readonly largeResults?: LargeResults;
  /**
   * Encrypts payloads, metadata and results with keys of each tenant. What was written before is read as it is. A key that is lost erases
   * what it encrypted. @default nothing is encrypted
   */
  readonly keyRing?: KeyRing;
  /** Is told of every statement and heartbeat: `databaseTelemetry` of `palimpsest/telemetry` makes metrics of them. @default nobody */
  readonly onEvent?: (event: DatabaseEvent) => void;
}

/** One database, as seen by one process. */
export interface Postgres {
  /** The store of a tenant. Costs nothing: make one for each request, if that is simplest. */
  store(options: { readonly tenant: string }): Store;
  /** Tenants as a whole: exported, deleted, expired. */
  readonly tenants: PostgresTenants;
}

/** Keeps sessions in PostgreSQL, so that any number of machines can serve them. Run `migrate` before. */
export function openPostgres(options: PostgresOptions): Postgres {
  const { pool, clock, leaseMs = 30_000, largeResults, keyRing, onEvent } = options;
  const database = createDatabase(pool, onEvent);
  const heartbeat = createHeartbeat({ database, clock, leaseMs, onEvent });
  const nowMs = (): number | null => clock?.now() ?? null;
  const sealsOf = (tenant: string): TenantSeals => sealsFor(keyRing, checkName("tenant", tenant));
  function storeOf(tenant: string): Store {
    checkName("tenant", tenant);
    return postgresStore({ database, heartbeat, tenant, leaseMs, nowMs, largeResults, seals: sealsOf(tenant) });
  }
  return {
    store: ({ tenant }) => storeOf(tenant),
    tenants: postgresTenants({ database, leaseMs, nowMs, storeOf, sealsOf }),
  };
}
