import type { Store } from "palimpsest";
import type { Database } from "../database.ts";

/** How long sessions are kept after somebody last wrote to them, in milliseconds. */
export interface RetentionPolicy {
  /** For every tenant that is not named. */
  readonly defaultMs: number | "forever";
  readonly tenants?: Readonly<Record<string, number | "forever">>;
  /** How long events are kept that watchers read. Their sessions stay. @default 604,800,000: 7 days */
  readonly eventsMs?: number | "forever";
}

/** How much one run does, and where it continues. */
export interface ExpireTenantsOptions {
  /** Looks at about so many sessions, then returns where to go on. @default 10,000 */
  readonly maxSessions?: number;
  /** `next` of the report before. @default from the first tenant */
  readonly after?: ExpirePlace;
}

/** A place in the order of all tenants and their sessions. */
export interface ExpirePlace {
  readonly tenant: string;
  /** Go on behind this session of the tenant. Absent: the tenant is done. */
  readonly session?: string;
}

/** How much a run deleted, over all tenants. */
export interface ExpireReport {
  /** Tenants that were looked at. */
  readonly tenants: number;
  readonly deleted: number;
  /** Old enough, and kept: a writer holds them, or a fork cites them. The next run looks at them again. */
  readonly kept: number;
  /** Batches of events that were deleted. */
  readonly events: number;
  /** How many sessions were deleted, by tenant; without tenants of which none was. */
  readonly deletedOf: Readonly<Record<string, number>>;
  /** There is more: pass it as `after`. */
  readonly next?: ExpirePlace;
}

interface Ports {
  readonly database: Database;
  nowMs(): number | null;
  storeOf(tenant: string): Store;
}

const PAGE_TENANTS = 100;
const PAGE_SESSIONS = 100;
const EVENTS_MS = 604_800_000;

/**
 * Goes over all tenants and deletes their old sessions and events. May run on two machines at once: each session is deleted by one of them. The
 * role needs `palimpsest_operator`, since nobody else sees more than one tenant.
 */
export async function expireTenants(
  { database, nowMs, storeOf }: Ports,
  { defaultMs, tenants: own = {}, eventsMs = EVENTS_MS }: RetentionPolicy,
  { maxSessions = 10_000, after }: ExpireTenantsOptions = {},
): Promise<ExpireReport> {
  const [clock] = await database.call("now_ms", [nowMs()]);
  const databaseMs = Number(clock!["now_ms"]);
  const deletedOf = new Map<string, number>();
  let [tenants, deleted, kept, events] = [0, 0, 0, 0];
  let left = Math.max(1, Math.ceil(maxSessions / PAGE_SESSIONS));
  const report = (next?: ExpirePlace): ExpireReport => {
    const counted = { tenants, deleted, kept, events, deletedOf: Object.fromEntries(deletedOf) };
    return next === undefined ? counted : { ...counted, next };
  };

  async function pruneEvents(tenant: string): Promise<void> {
    if (eventsMs === "forever") return;
    for (let after = ""; ; ) {
      const rows = await database.call("prune_events", [tenant, databaseMs - eventsMs, after, PAGE_SESSIONS]);
      events += rows.reduce((sum, row) => sum + Number(row["pruned"]), 0);
      if (rows.length < PAGE_SESSIONS) return;
      after = String(rows.at(-1)!["session"]);
    }
  }

  /** Resolves to the place where to go on, if there is one. */
  async function expireTenant(tenant: string, from?: string): Promise<ExpirePlace | undefined> {
    const keepMs = Object.hasOwn(own, tenant) ? own[tenant]! : defaultMs;
    tenants++;
    if (from === undefined) await pruneEvents(tenant);
    if (keepMs === "forever") return undefined;
    const store = storeOf(tenant);
    for (let session = from; ; ) {
      if (left-- === 0) return session === undefined ? { tenant } : { tenant, session };
      const place = session === undefined ? {} : { after: session };
      const page = await store.expire({ silentSinceMs: databaseMs - keepMs, limit: PAGE_SESSIONS, ...place });
      deleted += page.deleted.length;
      kept += page.kept.length;
      if (page.deleted.length > 0) deletedOf.set(tenant, (deletedOf.get(tenant) ?? 0) + page.deleted.length);
      if (page.next === undefined) return undefined;
      session = page.next;
    }
  }

  if (after?.session !== undefined) {
    const next = await expireTenant(after.tenant, after.session);
    if (next !== undefined) return report(next);
  }
  for (let last = after?.tenant ?? ""; ; ) {
    const rows = await database.call("list_tenants", [last, PAGE_TENANTS]);
    for (const row of rows) {
      const tenant = String(row["list_tenants"]);
      if (left === 0) return report({ tenant: last });
      const next = await expireTenant(tenant);
      if (next !== undefined) return report(next);
      last = tenant;
    }
    if (rows.length < PAGE_TENANTS) return report();
  }
}
