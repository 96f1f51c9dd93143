import type { Store } from "palimpsest";
import { checkName } from "../check-name.ts";
import type { Database } from "../database.ts";
import type { TenantSeals } from "../key-ring/tenant-seals.ts";
import {
  countTenant,
  type DeleteTenantOptions,
  deleteTenant,
  type TenantDeletion,
  type TenantRows,
} from "./delete-tenant.ts";
import { type ExpireReport, type ExpireTenantsOptions, expireTenants, type RetentionPolicy } from "./expire-tenants.ts";
import { exportTenant } from "./export-tenant.ts";
import { importTenant, type TenantImport } from "./import-tenant.ts";

/** Tenants as a whole. A tenant is what is kept apart, exported and deleted: give each user one, if users are to be deleted. */
export interface PostgresTenants {
  /** Lists tenants that have sessions or leases, ordered by name. The role needs `palimpsest_operator`. @default limit 100 */
  list(options?: { readonly after?: string; readonly limit?: number }): Promise<readonly string[]>;
  /** Counts the rows of a tenant in every table that has some. */
  count(tenant: string): Promise<TenantRows>;
  /** Yields everything of a tenant as lines of JSON. */
  export(tenant: string): AsyncGenerator<string>;
  /** Fills a tenant with sessions and results of such lines. */
  import(tenant: string, lines: AsyncIterable<string> | Iterable<string>): Promise<TenantImport>;
  /**
   * Deletes every row of a tenant, in batches. A deletion that was cut off is finished by the next call. Stop serving the tenant
   * before: sessions that are begun meanwhile are deleted, too, but what a running process adds afterwards is not seen.
   */
  delete(tenant: string, options?: DeleteTenantOptions): Promise<TenantDeletion>;
  /** Deletes old sessions of all tenants, by a policy. Bounded: call it again with `next`. The role needs `palimpsest_operator`. */
  expire(policy: RetentionPolicy, options?: ExpireTenantsOptions): Promise<ExpireReport>;
  /**
   * After a restore from a backup, before any process writes: raises all fences, numbers and offsets far above those that processes
   * and watchers of the time before may still have. The role needs `palimpsest_operator`. Resolves to the number of sessions.
   */
  fenceAfterRestore(): Promise<number>;
}

interface Ports {
  readonly database: Database;
  readonly leaseMs: number;
  nowMs(): number | null;
  storeOf(tenant: string): Store;
  sealsOf(tenant: string): TenantSeals;
}

/** More than anybody opens a session while a backup grows old. */
const FAR = 1_000_000;
const PAGE = 100;

export function postgresTenants(ports: Ports): PostgresTenants {
  const { database, leaseMs, nowMs, storeOf, sealsOf } = ports;
  const list = async (after: string, limit: number): Promise<readonly string[]> =>
    (await database.call("list_tenants", [after, limit])).map((row) => String(row["list_tenants"]));
  return {
    list: ({ after = "", limit = PAGE } = {}) => list(after, limit),
    count: (tenant) => countTenant({ database, tenant: checkName("tenant", tenant) }),
    async *export(tenant) {
      const [row] = await database.call("now_ms", [nowMs()]);
      const { store, seals } = { store: storeOf(tenant), seals: sealsOf(tenant) };
      yield* exportTenant({ database, store, seals, tenant, nowMs: Number(row!["now_ms"]) });
    },
    import: (tenant, lines) => importTenant(storeOf(tenant), lines),
    delete: (tenant, options) =>
      deleteTenant({ database, tenant: checkName("tenant", tenant), leaseMs, nowMs }, options),
    expire: (policy, options) => expireTenants(ports, policy, options),
    async fenceAfterRestore() {
      await database.call("raise_sequences", [FAR]);
      let sessions = 0;
      for (let after = ""; ; ) {
        const tenants = await list(after, PAGE);
        for (const tenant of tenants) {
          const [row] = await database.call("raise_fences", [tenant, FAR]);
          sessions += Number(row!["raise_fences"]);
          await database.call("raise_offsets", [tenant, FAR]);
        }
        if (tenants.length < PAGE) return sessions;
        after = tenants.at(-1)!;
      }
    },
  };
}
