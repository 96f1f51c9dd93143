import { EMPTY_LOG, type Entry, type LogHead } from "../log/entry.ts";

import { entryText } from "../log/entry-text.ts";
import { isMatch, readQuery, snippetOf } from "../log/search-text.ts";
import { collectBatch } from "./collect-batch.ts";
import type { AppendResult, LogReader, LogWriter, SearchHit, SearchOptions } from "./store.ts";

/** A log in memory. */
export interface MemoryLog {
  readonly entries: Entry[];
  readonly byKind: Map<string, number[]>;
  fence: number;
  writer: { readonly owner: string; readonly fence: number } | undefined;
  /** When a writer opened the log or appended to it. */
  activeAtMs: number;
}

export function createMemoryLog(): MemoryLog {
  return { entries: [], byKind: new Map(), fence: 0, writer: undefined, activeAtMs: 0 };
}

/** Empties a deleted log: handles that are still open read nothing and write nothing. */
export function emptyMemoryLog(log: MemoryLog): void {
  log.entries.length = 0;
  log.byKind.clear();
  log.fence++;
  log.writer = undefined;
}

export function createReader({ entries, byKind }: MemoryLog): LogReader {
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

export function createWriter(log: MemoryLog, clock: { now(): number }): LogWriter {
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
