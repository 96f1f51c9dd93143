import type { Entry, LogHead } from "../log/entry.ts";
import { EMPTY_LOG } from "../log/entry.ts";
import { entryText } from "../log/entry-text.ts";
import { isMatch, readQuery, snippetOf } from "../log/search-text.ts";
import { memoryResults } from "./memory-results.ts";
import type {
  AppendResult,
  BusyWriter,
  LogReader,
  LogWriter,
  OpenWriterOptions,
  OpenWriterResult,
  SearchHit,
  SearchOptions,
  Store,
} from "./store.ts";

export interface MemoryStoreOptions {
  /** @default the system's clock */
  clock?: { now(): number };
  /** How long a log is said to be held at least. With 0 it is always free. @default 30,000 */
  leaseMs?: number;
}

interface Log {
  readonly entries: Entry[];
  readonly byKind: Map<string, number[]>;
  fence: number;
  writer: { readonly owner: string; readonly fence: number } | undefined;
}

/** Keeps logs for as long as the process lives: for tests, and for sessions that nobody wants back. */
export function memoryStore({ clock = { now: Date.now }, leaseMs = 30_000 }: MemoryStoreOptions = {}): Store {
  const logs = new Map<string, Log>();
  /** Until it is closed: the process that would have to renew the lease is this one, and it is alive. */
  const heldBy = ({ writer }: Log): BusyWriter | undefined => {
    const nowMs = clock.now();
    if (writer === undefined || leaseMs <= 0) return undefined;
    return { owner: writer.owner, activeAtMs: nowMs, freeAtMs: nowMs + leaseMs };
  };
  return {
    sessions: async () => [...logs.keys()],
    async openReader(session) {
      const log = logs.get(session);
      return log === undefined ? undefined : createReader(log);
    },
    async openWriter(session, { owner, takeover = "if-free" }: OpenWriterOptions): Promise<OpenWriterResult> {
      const log = logs.get(session) ?? { entries: [], byKind: new Map(), fence: 0, writer: undefined };
      logs.set(session, log);
      const holder = takeover === "if-free" ? heldBy(log) : undefined;
      if (holder !== undefined) return { kind: "busy", ...holder };
      log.fence++;
      log.writer = { owner, fence: log.fence };
      return { kind: "opened", writer: createWriter(log) };
    },
    async writerOf(session) {
      const log = logs.get(session);
      return log === undefined ? undefined : heldBy(log);
    },
    results: memoryResults({ clock }),
    close: async () => {},
  };
}

function createReader({ entries, byKind }: Log): LogReader {
  return {
    head: async () => headOf(entries),
    read: async (from, to) => entries.slice(Math.max(0, from - 1), Math.max(0, to)),
    async newest(kind, below = Number.POSITIVE_INFINITY) {
      const sequence = byKind.get(kind)?.findLast((candidate) => candidate < below);
      return sequence === undefined ? undefined : entries[sequence - 1];
    },
    search: async (query, options) => search(entries, query, options),
    close: async () => {},
  };
}

function createWriter(log: Log): LogWriter {
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
