import type { Store } from "palimpsest";
import { collectBatch, type LogReader, type LogWriter } from "palimpsest/store-parts";

type Entries = Parameters<LogWriter["append"]>[0];

/**
 * A store to read sessions from while others write them. Its writers need no right and disturb nobody: they keep what they are given to
 * themselves, and forget it when they are closed. A session that is opened in it stays as it was at that moment.
 */
export function snapshotStore(store: Store): Store {
  return {
    ...store,
    async openWriter(session, { read }) {
      const reader = await store.openReader(session);
      if (reader === undefined) throw new Error(`There is no session ${session} to take a snapshot of.`);
      const writer = await snapshotWriter(reader);
      return { kind: "opened", writer, ...(read && { batch: await writer.readBatch(read) }) };
    },
    writerOf: async () => undefined,
    delete: refuse,
    expire: refuse,
    setMetadata: refuse,
    close: async () => {},
  };
}

async function refuse(): Promise<never> {
  throw new Error("A snapshot cannot be changed. Use the store that it was taken from.");
}

async function snapshotWriter(reader: LogReader): Promise<LogWriter> {
  const base = await reader.head();
  const own: Entries[number][] = [];
  const head = async () => own.at(-1) ?? base;
  const parts: Pick<LogReader, "head" | "read" | "newest"> = {
    head,
    async read(from, to) {
      const kept = from > base.sequence ? [] : await reader.read(from, Math.min(to, base.sequence));
      return [...kept, ...own.filter(({ sequence }) => sequence >= from && sequence <= to)];
    },
    async newest(kind, below = Number.POSITIVE_INFINITY, above) {
      const added = own.findLast((entry) => entry.kind === kind && entry.sequence < below);
      return added ?? reader.newest(kind, Math.min(below, base.sequence + 1), above);
    },
  };
  return {
    ...reader,
    ...parts,
    fence: 0,
    // Before anything is added the log answers by itself, in one round trip.
    readBatch: (wanted) =>
      own.length === 0
        ? reader
            .readBatch({ ...wanted, upTo: Math.min(wanted.upTo ?? base.sequence, base.sequence) })
            .then((batch) => ({ ...batch, head: base }))
        : collectBatch(parts, wanted),
    async append(entries) {
      const newest = await head();
      if (entries[0] !== undefined && entries[0].sequence !== newest.sequence + 1)
        return { kind: "out-of-order", head: newest };
      own.push(...entries);
      return { kind: "appended", head: await head() };
    },
    erase: async () => "absent",
  };
}
