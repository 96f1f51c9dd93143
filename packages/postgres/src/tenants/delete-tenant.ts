import type { Database, Row } from "../database.ts";
import { DatabaseError } from "../database-error.ts";

/** Whether open sessions stop the deletion, and how many rows a transaction deletes. */
export interface DeleteTenantOptions {
  /**
   * `refuse` deletes nothing while a writer holds a session of the tenant. `fence` deletes at once: such a writer cannot append
   * any more. @default "refuse"
   */
  readonly writers?: "refuse" | "fence";
  /** Rows of one transaction: another one waits for no longer than that takes. @default 5,000 */
  readonly batchRows?: number;
  /** Called after every transaction, with all rows that are gone. */
  readonly onProgress?: (rows: number) => void;
}

/** How many rows were deleted, or the sessions that are still open. */
export type TenantDeletion =
  /** Nothing is left of the tenant in any table. */
  | { readonly kind: "deleted"; readonly rows: TenantRows }
  /** Nothing was deleted. The first of the writers; wait for them, or fence them. */
  | { readonly kind: "busy"; readonly writers: readonly OpenWriter[] };

/** Rows by table. */
export type TenantRows = Readonly<Record<string, number>>;

/** A session of the tenant that is open. */
export interface OpenWriter {
  readonly session: string;
  readonly owner: string;
  readonly activeAtMs: number;
  /** When the session is free if nothing more is heard of its writer. */
  readonly freeAtMs: number;
}

export interface TenantCaller {
  readonly database: Database;
  readonly tenant: string;
  readonly leaseMs: number;
  nowMs(): number | null;
}

const MOST_WRITERS = 100;
/** Another transaction is in the way for a moment; more often than this, something is wrong. */
const MOST_CONFLICTS = 20;

/** Deletes every row of a tenant, batch by batch. A deletion that was cut off is finished by the next call. */
export async function deleteTenant(
  { database, tenant, leaseMs, nowMs }: TenantCaller,
  { writers = "refuse", batchRows = 5_000, onProgress }: DeleteTenantOptions = {},
): Promise<TenantDeletion> {
  if (writers === "refuse") {
    const open = await database.call("open_writers", [tenant, nowMs(), leaseMs, MOST_WRITERS]);
    if (open.length > 0) return { kind: "busy", writers: open.map(toOpenWriter) };
  }
  const rows = new Map<string, number>();
  let conflicts = 0;
  for (let gone = 0; ; ) {
    try {
      const [batch] = await database.call("delete_tenant_rows", [tenant, batchRows]);
      if (batch === undefined) break;
      const [name, count] = [String(batch["name"]), Number(batch["rows"])];
      rows.set(name, (rows.get(name) ?? 0) + count);
      gone += count;
      onProgress?.(gone);
    } catch (error) {
      if (!isPassing(error) || ++conflicts > MOST_CONFLICTS) throw error;
    }
  }
  return { kind: "deleted", rows: Object.fromEntries(rows) };
}

/** Counts the rows of a tenant in every table that has some. */
export async function countTenant({
  database,
  tenant,
}: Pick<TenantCaller, "database" | "tenant">): Promise<TenantRows> {
  const counted = await database.call("count_tenant_rows", [tenant]);
  const rows = counted.map((row) => [String(row["name"]), Number(row["rows"])] as const);
  return Object.fromEntries(rows.filter(([, count]) => count > 0));
}

/** A deadlock, or a session that was begun while entries were deleted: the next batch begins with it. */
function isPassing(error: unknown): boolean {
  return error instanceof DatabaseError && (error.reason === "conflict" || error.sqlState === "23000");
}

function toOpenWriter(row: Row): OpenWriter {
  return {
    session: String(row["name"]),
    owner: String(row["owner"]),
    activeAtMs: Number(row["active_at_ms"]),
    freeAtMs: Number(row["free_at_ms"]),
  };
}
