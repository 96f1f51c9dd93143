// Reads entries in batches, lists sessions page by page, and finds forks.

import { type Entry, readPayload } from "../log/entry.ts";
import type { ForkPayload } from "../log/payload.ts";
import type { BatchOptions, EntryBatch, ListedSession, ListOptions, LogReader, Store } from "./store.ts";

/** Reads a batch with separate reads, for stores in which a read costs no round trip. */
export async function collectBatch(
  log: Pick<LogReader, "head" | "read" | "newest">,
  { upTo = Number.POSITIVE_INFINITY, ranges = [], newest = [], tail }: BatchOptions,
): Promise<EntryBatch> {
  const head = await log.head();
  const end = Math.min(upTo, head.sequence);
  const entries = new Map<number, Entry>();
  const read = async (from: number, to: number): Promise<void> => {
    for (const entry of await log.read(from, Math.min(to, end))) entries.set(entry.sequence, entry);
  };
  for (const { from, to } of ranges) await read(from, to);
  if (tail !== undefined) {
    const since = await log.newest(tail.since, end + 1);
    await read(Math.max(since?.sequence ?? 1, end - tail.limit + 1), end);
  }
  const found = new Map<string, Entry>();
  for (const kind of newest) {
    const entry = await log.newest(kind, end + 1);
    if (entry !== undefined) found.set(kind, entry);
  }
  return { head, entries: [...entries.values()].sort((a, b) => a.sequence - b.sequence), newest: found };
}

/** The number of entries in memory at once: a few megabytes in ordinary sessions. */
export const BATCH_ENTRIES = 256;

/** Yields the entries from one number to another, both included, in batches. */
export async function* readEntries(
  log: LogReader,
  from: number,
  to: number,
  batchEntries: number = BATCH_ENTRIES,
): AsyncGenerator<Entry> {
  for (let next = from; next <= to; next += batchEntries) {
    yield* await log.read(next, Math.min(to, next + batchEntries - 1));
  }
}

const PAGE_SESSIONS = 100;

/** Returns one page of ids, ordered by code units, and the start of the next page. For stores that know all ids at once. */
export function pageOf(
  ids: Iterable<string>,
  { after = "", limit = PAGE_SESSIONS }: ListOptions = {},
): { readonly ids: readonly string[]; readonly next?: string } {
  const later = [...ids].filter((id) => id > after).sort();
  const page = later.slice(0, Math.max(1, Math.floor(limit)));
  const last = page.at(-1);
  return last === undefined || page.length === later.length ? { ids: page } : { ids: page, next: last };
}

/** Yields all sessions of a store, page by page. */
export async function* eachSession(store: Pick<Store, "list">): AsyncGenerator<ListedSession> {
  for (let after: string | undefined = ""; after !== undefined; ) {
    const { sessions, next }: Awaited<ReturnType<Store["list"]>> = await store.list({ after });
    yield* sessions;
    after = next;
  }
}

/** Reads the parent of a session from its first entry; undefined if the session is not a fork. */
export async function readFork(store: Pick<Store, "openReader">, session: string): Promise<ForkPayload | undefined> {
  const reader = await store.openReader(session);
  try {
    const [first] = (await reader?.read(1, 1)) ?? [];
    const read = first && readPayload(first);
    return read?.kind === "fork" ? read.payload : undefined;
  } finally {
    await reader?.close();
  }
}

type Logs = Pick<Store, "list" | "openReader">;

/** Returns the parent of every fork. A log that cannot be read does not count as a fork, because it cannot be opened either. */
export async function readParents(store: Logs): Promise<Map<string, string>> {
  const parents = new Map<string, string>();
  for await (const { id } of eachSession(store)) {
    const parent = (await readFork(store, id).catch(() => undefined))?.session;
    if (parent !== undefined && parent !== id) parents.set(id, parent);
  }
  return parents;
}

/** Returns the forks of a session. */
export async function forksOf(store: Logs, session: string): Promise<readonly string[]> {
  return [...(await readParents(store))].filter(([, parent]) => parent === session).map(([id]) => id);
}
