import type { ExpiredPage, ExpireOptions } from "palimpsest/store-parts";
import type { Row } from "./database.ts";

interface Caller {
  /** Calls a function of the schema for the tenant. */
  call(name: string, values: readonly unknown[]): Promise<readonly Row[]>;
  readonly leaseMs: number;
  nowMs(): number | null;
}

/** A draft of a result that is this old belongs to a process that is gone. */
const DRAFT_MS = 86_400_000;
const PAGE_DRAFTS = 1_000;

/** Looks at one page of sessions, and deletes those that were silent for too long. */
export async function expirePage(
  { call, leaseMs, nowMs }: Caller,
  { silentSinceMs, after = "", limit = 100 }: ExpireOptions,
): Promise<ExpiredPage> {
  const most = Math.max(1, Math.floor(limit));
  if (after === "") await call("expire_drafts", [silentSinceMs, nowMs(), DRAFT_MS, PAGE_DRAFTS]);
  const rows = await call("expire_sessions", [silentSinceMs, after, most, nowMs(), leaseMs]);
  const seen = rows.map((row) => ({ id: String(row["name"]), outcome: String(row["outcome"]) }));
  const deleted = seen.filter(({ outcome }) => outcome === "deleted").map(({ id }) => id);
  const kept = seen.flatMap(({ id, outcome }) =>
    outcome === "busy" || outcome === "cited" ? [{ id, why: outcome } as const] : [],
  );
  const last = seen.at(-1);
  return last === undefined || seen.length < most ? { deleted, kept } : { deleted, kept, next: last.id };
}
