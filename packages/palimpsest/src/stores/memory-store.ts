// A store and result files in memory, for tests and temporary sessions.

import { EMPTY_LOG, type Entry, type LogHead } from "../log/entry.ts";
import { entryText, isMatch, readQuery, snippetOf } from "../log/search-text.ts";
import { expirePage } from "./expire.ts";
import { collectBatch, forksOf, pageOf } from "./read.ts";
import { sha256 } from "./sha256.ts";
import {
  type AppendResult,
  type BusyWriter,
  type DeleteResult,
  fromMetadataText,
  type ListedSession,
  type LogReader,
  type LogWriter,
  type ResultFiles,
  type SearchHit,
  type SearchOptions,
  type Store,
  toMetadataText,
} from "./store.ts";

interface MemoryStoreOptions {
  /** @default the system's clock */
  clock?: { now(): number };
  /** The lease of a log. With 0, a log is always free. @default 30,000 */
  leaseMs?: number;
}

/** Creates a store in memory, for tests and temporary sessions. */
export function memoryStore({ clock = { now: Date.now }, leaseMs = 30_000 }: MemoryStoreOptions = {}): Store {
  const logs = new Map<string, MemoryLog>();
  // Metadata is kept as text, so that a caller cannot change it through the object that was set or read.
  const metadata = new Map<string, string>();
  const results = memoryResults({ clock });
  /** Returns the writer of an open log. Its lease never ends, because this process is alive. */
  const ownerOf = ({ writer }: MemoryLog): BusyWriter | undefined => {
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
    const currentOwner = log && ownerOf(log);
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
      const currentOwner = takeover === "if-free" ? ownerOf(log) : undefined;
      if (currentOwner !== undefined) return { kind: "busy", ...currentOwner };
      log.fence++;
      log.writer = { owner, fence: log.fence };
      log.activeAtMs = clock.now();
      const writer = createWriter(log, clock);
      return { kind: "opened", writer, ...(read && { batch: await writer.readBatch(read) }) };
    },
    async writerOf(session) {
      const log = logs.get(session);
      return log === undefined ? undefined : ownerOf(log);
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
    async setMetadata(session, value) {
      const text = toMetadataText(value);
      if (!logs.has(session)) return "absent";
      metadata.set(session, text);
      return "set";
    },
    results,
    close: async () => {},
  };
  return store;
}

/** A log in memory. */
interface MemoryLog {
  readonly entries: Entry[];
  readonly byKind: Map<string, number[]>;
  fence: number;
  writer: { readonly owner: string; readonly fence: number } | undefined;
  /** When a writer opened the log or appended to it. */
  activeAtMs: number;
}

function createMemoryLog(): MemoryLog {
  return { entries: [], byKind: new Map(), fence: 0, writer: undefined, activeAtMs: 0 };
}

/** Empties a deleted log, so that open readers and writers read and write nothing more. */
function emptyMemoryLog(log: MemoryLog): void {
  log.entries.length = 0;
  log.byKind.clear();
  log.fence++;
  log.writer = undefined;
}

function createReader({ entries, byKind }: MemoryLog): LogReader {
  const reader: LogReader = {
    head: async () => headOf(entries),
    read: async (from, to) => entries.slice(Math.max(0, from - 1), Math.max(0, to)),
    async newest(kind, below = Number.POSITIVE_INFINITY) {
      const sequence = byKind.get(kind)?.findLast((candidate) => candidate < below);
      return sequence === undefined ? undefined : entries[sequence - 1];
    },
    readBatch: (options) => collectBatch(reader, options),
    search: async (query, options) => search(entries, query, options),
    close: async () => {},
  };
  return reader;
}

function createWriter(log: MemoryLog, clock: { now(): number }): LogWriter {
  const { fence } = log;
  const isFenced = (): boolean => log.fence !== fence;
  return {
    ...createReader(log),
    fence,
    async append(added): Promise<AppendResult> {
      if (isFenced()) return { kind: "fenced", owner: log.writer?.owner ?? "", fence: log.fence };
      const head = headOf(log.entries);
      if (added.some((entry, index) => entry.sequence !== head.sequence + index + 1))
        return { kind: "out-of-order", head };
      log.activeAtMs = clock.now();
      for (const entry of added) {
        log.entries.push(entry);
        const numbers = log.byKind.get(entry.kind);
        if (numbers === undefined) log.byKind.set(entry.kind, [entry.sequence]);
        else numbers.push(entry.sequence);
      }
      return { kind: "appended", head: headOf(log.entries) };
    },
    async erase(sequence) {
      if (isFenced()) return "fenced";
      const entry = log.entries[sequence - 1];
      if (entry === undefined) return "absent";
      log.entries[sequence - 1] = { ...entry, payload: undefined };
      return "erased";
    },
    async close() {
      if (!isFenced()) log.writer = undefined;
    },
  };
}

function headOf(entries: readonly Entry[]): LogHead {
  const last = entries.at(-1);
  return last === undefined ? EMPTY_LOG : { sequence: last.sequence, hash: last.hash };
}

function search(entries: readonly Entry[], query: string, { limit, from = 1, to = entries.length }: SearchOptions) {
  const phrases = readQuery(query);
  const hits: SearchHit[] = [];
  const last = phrases.length === 0 ? 0 : Math.min(to, entries.length);
  for (let sequence = last; sequence >= Math.max(1, from) && hits.length < limit; sequence--) {
    const text = entryText(entries[sequence - 1]!);
    if (text !== undefined && isMatch(text, phrases)) hits.push({ sequence, snippet: snippetOf(text, phrases) });
  }
  return hits;
}

interface MemoryResultsOptions {
  /** @default the system's clock */
  readonly clock?: { now(): number };
}

/** Creates result files in memory, for tests and temporary sessions. */
export function memoryResults({ clock = { now: Date.now } }: MemoryResultsOptions = {}): ResultFiles {
  const sessions = new Map<string, Map<string, KeptResult>>();
  return {
    async create(session) {
      const parts: Uint8Array[] = [];
      return {
        async write(bytes) {
          parts.push(bytes.slice());
        },
        async keep(ending) {
          const bytes = joined(parts);
          const digest = sha256(bytes);
          const file = `${digest}.${ending}`;
          const kept = sessions.get(session) ?? new Map<string, KeptResult>();
          sessions.set(session, kept.set(file, { bytes, atMs: clock.now() }));
          return { file, digest };
        },
        async discard() {
          parts.length = 0;
        },
      };
    },
    async find(session, file) {
      const found = sessions.get(session)?.get(file);
      return (
        found && {
          bytes: found.bytes.length,
          chunks: async function* () {
            // The reader may change this copy.
            yield new Uint8Array(found.bytes);
          },
        }
      );
    },
    locate: () => undefined,
    async *sessions() {
      yield* [...sessions.keys()];
    },
    async measure(session) {
      const kept = [...(sessions.get(session)?.values() ?? [])];
      if (kept.length === 0) return undefined;
      return {
        bytes: kept.reduce((sum, { bytes }) => sum + bytes.length, 0),
        newestAtMs: Math.max(...kept.map(({ atMs }) => atMs)),
      };
    },
    async remove(session, file) {
      if (file !== undefined) sessions.get(session)?.delete(file);
      if (file === undefined || sessions.get(session)?.size === 0) sessions.delete(session);
    },
  };
}

interface KeptResult {
  readonly bytes: Uint8Array;
  readonly atMs: number;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
