import { readParents } from "./read.ts";
import type { DeleteResult, ExpiredPage, ExpireOptions, KeptSession, Store } from "./store.ts";

/** Expires one page, for stores that keep each log by itself: the forks of all sessions are read once for the page. */
export async function expirePage(
  store: Pick<Store, "list" | "openReader">,
  { silentSinceMs, ...page }: ExpireOptions,
  { lastWriter, remove }: ExpiringLogs,
): Promise<ExpiredPage> {
  const { sessions, next } = await store.list(page);
  const deleted: string[] = [];
  const kept: KeptSession[] = [];
  /** A damaged log does not stop the retention of the others. */
  const attempt = async <T>(id: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      kept.push({ id, why: "failed", error: error instanceof Error ? error : new Error(String(error)) });
      return undefined;
    }
  };

  const silent = new Map<string, LastWriter>();
  for (const { id } of sessions) {
    const last = await attempt(id, () => lastWriter(id));
    if (last !== undefined && last.activeAtMs < silentSinceMs) silent.set(id, last);
  }
  // Read after the writers: only a writer of a log begins a fork of it, and a writer that comes later is noticed by its fence.
  const parents = silent.size === 0 ? new Map<string, string>() : await readParents(store);
  for (const [id, last] of silent) {
    if ([...parents.values()].includes(id)) {
      kept.push({ id, why: "cited" });
      continue;
    }
    const result = await attempt(id, () => remove(id, last));
    if (result?.kind === "busy") kept.push({ id, why: "busy" });
    if (result?.kind !== "deleted") continue;
    deleted.push(id);
    parents.delete(id);
  }
  return next === undefined ? { deleted, kept } : { deleted, kept, next };
}

interface ExpiringLogs {
  /** Returns the newest writer of a log, and when it opened the log or appended to it; undefined if the log is gone. */
  lastWriter(session: string): Promise<LastWriter | undefined>;
  /** Deletes a log that no fork cites, if this is still its newest writer; `recent` if it is not. */
  remove(session: string, last: LastWriter): Promise<DeleteResult | { readonly kind: "recent" }>;
}

interface LastWriter {
  readonly fence: number;
  readonly activeAtMs: number;
}
