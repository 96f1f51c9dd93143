import type { Database } from "./database.ts";

export interface ExpireOptions {
  /** Sessions go in which nothing was written since then, by the database's clock. */
  readonly silentSinceMs: number;
  /** Looks at the sessions behind this id. @default from the first */
  readonly after?: string;
  /** Looks at no more sessions than this, in one transaction. @default 100 */
  readonly limit?: number;
}

export interface ExpiredPage {
  readonly deleted: readonly string[];
  /** Silent for as long, and left alone: a writer holds it, or a fork cites it. */
  readonly kept: readonly { readonly id: string; readonly why: "busy" | "cited" }[];
  /** Pass it as `after` for the next page; absent on the last page. */
  readonly next?: string;
}

interface Caller {
  readonly database: Database;
  readonly tenant: string;
  readonly leaseMs: number;
  nowMs(): number | null;
}

/** Looks at one page of sessions, and deletes those that were silent for too long. */
export async function expirePage(
  { database, tenant, leaseMs, nowMs }: Caller,
  { silentSinceMs, after = "", limit = 100 }: ExpireOptions,
): Promise<ExpiredPage> {
  const most = Math.max(1, Math.floor(limit));
  const rows = await database.call("expire_sessions", [tenant, silentSinceMs, after, most, nowMs(), leaseMs]);
  const seen = rows.map((row) => ({ id: String(row["name"]), outcome: String(row["outcome"]) }));
  const deleted = seen.filter(({ outcome }) => outcome === "deleted").map(({ id }) => id);
  const kept = seen.flatMap(({ id, outcome }) =>
    outcome === "busy" || outcome === "cited" ? [{ id, why: outcome } as const] : [],
  );
  const last = seen.at(-1);
  return last === undefined || seen.length < most ? { deleted, kept } : { deleted, kept, next: last.id };
}
