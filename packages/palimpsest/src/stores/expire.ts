import { readParents } from "./read.ts";
import type { DeleteResult, ExpiredPage, ExpireOptions, KeptSession, Store } from "./store.ts";

/** Expires one page of sessions, for stores that keep logs separately. The forks of all sessions are read once per page. */
export async function expirePage(
  store: Pick<Store, "list" | "openReader">,
  { silentSinceMs, ...page }: ExpireOptions,
  { lastWriter, remove }: ExpiringLogs,
): Promise<ExpiredPage> {
  const { sessions, next } = await store.list(page);
  const deleted: string[] = [];
  const kept: KeptSession[] = [];
  /** Reports a failure, such as a damaged log, and continues with the other sessions. */
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
  // Forks are read after the writers: only a writer of a log can fork it, and a later writer is noticed by its fence.
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
  /** Deletes a log that no fork cites. `recent`: the log has a newer writer than `last`, so it was kept. */
  remove(session: string, last: LastWriter): Promise<DeleteResult | { readonly kind: "recent" }>;
}

interface LastWriter {
  readonly fence: number;
  readonly activeAtMs: number;
}
