import { expirePage } from "./expire-page.ts";
import { forksOf } from "./find-forks.ts";
import { pageOf } from "./list-sessions.ts";
import { createMemoryLog, createReader, createWriter, emptyMemoryLog, type MemoryLog } from "./memory-log.ts";
import { memoryResults } from "./memory-results.ts";
import { fromMetadataText, toMetadataText } from "./metadata.ts";
import type { BusyWriter, DeleteResult, ListedSession, Store } from "./store.ts";

export interface MemoryStoreOptions {
  /** @default the system's clock */
  clock?: { now(): number };
  /** The shortest lease of a log. With 0 a log is always free. @default 30,000 */
  leaseMs?: number;
}

/** Creates a store that lasts as long as the process: for tests and temporary sessions. */
export function memoryStore({ clock = { now: Date.now }, leaseMs = 30_000 }: MemoryStoreOptions = {}): Store {
  const logs = new Map<string, MemoryLog>();
  // Kept as text, so that nobody can change it through the value that was set or read.
  const metadata = new Map<string, string>();
  const results = memoryResults({ clock });
  /** The log is held until it is closed: this process would have to renew the lease, and it is alive. */
  const heldBy = ({ writer }: MemoryLog): BusyWriter | undefined => {
    const nowMs = clock.now();
    if (writer === undefined || leaseMs <= 0) return undefined;
    return { owner: writer.owner, activeAtMs: nowMs, freeAtMs: nowMs + leaseMs };
  };
  const listed = (id: string): ListedSession => {
    const kept = fromMetadataText(metadata.get(id) ?? "");
    return kept === undefined ? { id } : { id, metadata: kept };
  };

  async function remove(session: string, forks: readonly string[]): Promise<DeleteResult> {
    const log = logs.get(session);
    const currentOwner = log && heldBy(log);
    if (currentOwner !== undefined) return { kind: "busy", ...currentOwner };
    if (log !== undefined && forks.length > 0) return { kind: "cited", forks };
    await results.remove(session);
    metadata.delete(session);
    if (log === undefined) return { kind: "absent" };
    logs.delete(session);
    emptyMemoryLog(log);
    return { kind: "deleted" };
  }

  const store: Store = {
    async list(options) {
      const { ids, ...more } = pageOf(logs.keys(), options);
      return { sessions: ids.map(listed), ...more };
    },
    async openReader(session, { read } = {}) {
      const log = logs.get(session);
      if (log === undefined) return undefined;
      const reader = createReader(log);
      return read === undefined ? reader : { ...reader, batch: await reader.readBatch(read) };
    },
    async openWriter(session, { owner, takeover = "if-free", read }) {
      const log = logs.get(session) ?? createMemoryLog();
      logs.set(session, log);
      const currentOwner = takeover === "if-free" ? heldBy(log) : undefined;
      if (currentOwner !== undefined) return { kind: "busy", ...currentOwner };
      log.fence++;
      log.writer = { owner, fence: log.fence };
      log.activeAtMs = clock.now();
      const writer = createWriter(log, clock);
      return { kind: "opened", writer, ...(read && { batch: await writer.readBatch(read) }) };
    },
    async writerOf(session) {
      const log = logs.get(session);
      return log === undefined ? undefined : heldBy(log);
    },
    async delete(session) {
      return remove(session, await forksOf(store, session));
    },
    expire: (options) =>
      expirePage(store, options, {
        async lastWriter(session) {
          const log = logs.get(session);
          return log && { fence: log.fence, activeAtMs: log.activeAtMs };
        },
        remove: async (session, { fence }) =>
          logs.get(session)?.fence === fence ? remove(session, []) : { kind: "recent" },
      }),
    readMetadata: async (session) => listed(session).metadata,
    async setMetadata(session, given) {
      const text = toMetadataText(given);
      if (!logs.has(session)) return "absent";
      metadata.set(session, text);
      return "set";
    },
    results,
    close: async () => {},
  };
  return store;
}
