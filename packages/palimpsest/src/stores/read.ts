import { PalimpsestError } from "../errors.ts";
import { readPayload } from "../log/draft.ts";
import { type ChainProblem, checkChain, EMPTY_LOG, type Entry, fromLine, resealEntry, toLine } from "../log/entry.ts";
import type { ForkPayload } from "../log/payload.ts";
import { checkArgument, type Needed, withMethods } from "../schema/check-options.ts";
import { sha256 } from "./sha256.ts";
import type {
  AppendResult,
  BatchOptions,
  EntryBatch,
  ListedSession,
  ListOptions,
  LogReader,
  LogWriter,
  Store,
} from "./store.ts";

/** Reads a batch piece by piece: for logs in which a read costs no round trip. */
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

/** The number of entries held at once: a few megabytes in ordinary sessions, and still few with large results. */
const BATCH_ENTRIES = 256;

/** Yields the entries from one number to another, both included, without holding all of them. */
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

/**
 * Exports a whole log as lines of JSON, one entry each, oldest first. A log with keyed digests is exported with those that everybody can
 * check.
 */
export async function* exportLog(reader: LogReader): AsyncGenerator<string> {
  checkArgument("exportLog(reader)", reader, withMethods(["head", "read"], "what store.openReader(session) returns"));
  const { sequence: last } = await reader.head();
  let before = EMPTY_LOG;
  for await (const entry of readEntries(reader, 1, last)) {
    const exported = reader.digests === "keyed" ? resealEntry(entry, before.hash, { digest: sha256 }) : entry;
    yield toLine(exported);
    before = exported;
  }
}

type ImportResult =
  | { readonly kind: "imported"; readonly entries: number }
  /** A line is no entry, or is not the entry that was exported. The lines before it were imported. */
  | { readonly kind: "damaged"; readonly line: number; readonly problem: ChainProblem["what"] | "not-an-entry" }
  /** The target log is not empty, or another writer holds it. */
  | { readonly kind: "refused"; readonly because: Exclude<AppendResult, { kind: "appended" }> };

const LINES: Needed = {
  needed: "an iterable of lines, as exportLog() gives them",
  fits: (value) =>
    typeof value === "object" && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value),
};

/** Fills an empty log with exported lines. Only entries that their hash chain confirms are imported. */
export async function importLog(
  writer: LogWriter,
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<ImportResult> {
  checkArgument("importLog(writer)", writer, withMethods(["append"], "the writer that store.openWriter() returns"));
  checkArgument("importLog(writer, lines)", lines, LINES);
  let before = EMPTY_LOG;
  let newest = EMPTY_LOG;
  let line = 0;
  let batch: Entry[] = [];
  const flush = async (): Promise<ImportResult | undefined> => {
    const result = await writer.append(batch);
    batch = [];
    return result.kind === "appended" ? undefined : { kind: "refused", because: result };
  };
  for await (const text of lines) {
    line++;
    const entry = fromLine(text);
    const problem = entry === undefined ? "not-an-entry" : checkChain([entry], before, sha256)[0]?.what;
    if (entry === undefined || problem !== undefined) {
      return (await flush()) ?? { kind: "damaged", line, problem: problem ?? "not-an-entry" };
    }
    before = entry;
    const { digest: payloadDigest } = writer;
    const own = payloadDigest ? resealEntry(entry, newest.hash, { digest: sha256, payloadDigest }) : entry;
    newest = own;
    batch.push(own);
    const refused = batch.length === BATCH_ENTRIES ? await flush() : undefined;
    if (refused !== undefined) return refused;
  }
  return (await flush()) ?? { kind: "imported", entries: line };
}

const PAGE_SESSIONS = 100;

/** Returns one page of ids, ordered by code units, and the start of the next page. For stores that hold all ids at once. */
export function pageOf(
  ids: Iterable<string>,
  { after = "", limit = PAGE_SESSIONS }: ListOptions = {},
): { readonly ids: readonly string[]; readonly next?: string } {
  const behind = [...ids].filter((id) => id > after).sort();
  const page = behind.slice(0, Math.max(1, Math.floor(limit)));
  const last = page.at(-1);
  return last === undefined || page.length === behind.length ? { ids: page } : { ids: page, next: last };
}

/** Yields all sessions of a store, page by page. */
export async function* eachSession(store: Pick<Store, "list">): AsyncGenerator<ListedSession> {
  for (let after: string | undefined = ""; after !== undefined; ) {
    const { sessions, next }: Awaited<ReturnType<Store["list"]>> = await store.list({ after });
    yield* sessions;
    after = next;
  }
}

type Logs = Pick<Store, "list" | "openReader">;

/** Returns the parent of a session, by its first entry; undefined if the session is no fork. */
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

/** Returns the parent of every fork. A log that cannot be read counts as no fork: it cannot be opened either. */
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

/** An entry that a store could not give back as it was. Nothing was written. */
export class InvalidEntryError extends PalimpsestError {
  static readonly code = "invalid-entry";
  readonly code: string = InvalidEntryError.code;
  readonly sequence: number;
  readonly field: string;

  constructor(entry: { sequence: number; field: string; reason: string }) {
    super(`Entry ${entry.sequence} was not appended: its ${entry.field} ${entry.reason}.`);
    this.sequence = entry.sequence;
    this.field = entry.field;
  }
}

/** Rejects entries that a database would return changed. */
export function assertStorable(entries: readonly Entry[]): void {
  for (const { sequence, parent, kind, version, atMs, digest, hash, payload = "" } of entries) {
    for (const [field, value] of Object.entries({ sequence, parent, version })) {
      if (!Number.isSafeInteger(value))
        throw new InvalidEntryError({ sequence, field, reason: `is ${value}, no integer` });
    }
    if (!Number.isFinite(atMs)) throw new InvalidEntryError({ sequence, field: "atMs", reason: `is ${atMs}` });
    for (const [field, value] of Object.entries({ kind, digest, hash, payload })) {
      if (!value.isWellFormed()) throw new InvalidEntryError({ sequence, field, reason: "has half a surrogate pair" });
      // Node 22 reads a text of SQLite only up to its first NUL, PostgreSQL has none. JSON text has none: they are escaped there.
      if (value.includes("\0")) throw new InvalidEntryError({ sequence, field, reason: "has a NUL character" });
    }
  }
}
