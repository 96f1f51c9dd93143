// The log of an open session: opens the writer, caches entries that were read, and reads the log of a fork as one log.

import { type Clock, withTimers } from "../clock.ts";
import { InvalidOptionError, SessionBusyError, SessionLostError } from "../errors.ts";
import { type Draft, EMPTY_LOG, type Entry, type LogHead, namedKind, sealEntries } from "../log/entry.ts";
import { collectBatch } from "../stores/read.ts";
import { sha256 } from "../stores/sha256.ts";
import type { BatchOptions, EntryBatch, LogReader, LogWriter, ResultFiles, Store, Takeover } from "../stores/store.ts";

/** The entries that a session reads first. Most sessions need no other entries. */
export const OPENING: BatchOptions & Required<Pick<BatchOptions, "ranges">> = {
  ranges: [{ from: 1, to: 1 }],
  newest: ["boundary", "restore", "rewind"],
  // A compacted session never has this many entries after its boundary. Longer tails are read in pieces.
  tail: { since: "boundary", limit: 2_048 },
};

const ERASED = namedKind("erased", "");
/**
 * The interval at which the session checks whether the other process has closed it. People do not notice this delay,
 * and the checks do not load the disk.
 */
const RETRY_MS = 200;
const NEVER = new AbortController().signal;

/** How to open a session that is open elsewhere: throw an error, wait at most this long, or take it over. */
export type SessionTakeover = Takeover | { readonly waitMs: number };

interface OpenWriterOptions {
  /** @default "process" and its number, or "a runtime without processes" */
  readonly owner?: string;
  /** @default "if-free" */
  readonly takeover?: SessionTakeover;
  /** @default the system's clock */
  readonly clock?: Clock;
}

export interface OpenedLog {
  readonly writer: LogWriter;
  /** The entries that the store has read while opening the log, if it supports this. */
  readonly opened: EntryBatch | undefined;
}

/**
 * Opens a session's log for writing, and reads the entries that a session needs first. Throws a `SessionBusyError` if
 * the session stays open elsewhere.
 */
export async function openWriter(store: Store, session: string, options: OpenWriterOptions): Promise<OpenedLog> {
  const { owner = nameOwner(), takeover = "if-free" } = options;
  const clock = withTimers(options.clock);
  const waitMs = typeof takeover === "object" ? takeover.waitMs : 0;
  const isValid = typeof takeover === "object" || takeover === "if-free" || takeover === "always";
  if (!isValid || !(waitMs >= 0)) {
    throw new InvalidOptionError(
      "takeover",
      takeover,
      '"if-free", "always", or { waitMs } with 0 or more milliseconds',
    );
  }
  const openOptions = { owner, takeover: typeof takeover === "object" ? "if-free" : takeover, read: OPENING } as const;
  // Count the waited time instead of reading the clock, so that a stopped clock cannot make this wait forever.
  for (let waitedMs = 0; ; ) {
    const result = await store.openWriter(session, openOptions);
    if (result.kind === "opened") return { writer: result.writer, opened: result.batch };
    if (waitedMs >= waitMs) throw new SessionBusyError({ session, ...result });
    const freeInMs = Math.max(1, result.freeAtMs - clock.now());
    const nextMs = Math.min(RETRY_MS, freeInMs, waitMs - waitedMs);
    await clock.wait(nextMs, NEVER);
    waitedMs += nextMs;
  }
}

function nameOwner(): string {
  const pid = globalThis.process?.pid;
  return pid === undefined ? "a runtime without processes" : `process ${pid}`;
}

/** The log of an open session. All of its entries are written here. */
export interface SessionLog {
  readonly reader: LogReader;
  /** The newest entry that is known to be in the log. */
  readonly head: LogHead;
  /** Appends all entries or none. Resolves when the entries are stored. */
  append(drafts: readonly Draft[]): Promise<readonly Entry[]>;
  /** Erases the payload of an entry. The entry must not belong to the parent of a fork. */
  erase(entry: number): Promise<void>;
  /**
   * Reads the end of the log, unless `opened` has it. After an append that failed half-way, the log may contain entries
   * that were not acknowledged. Returns a reader that has cached the end, for brief use.
   */
  refresh(opened?: EntryBatch): Promise<LogReader>;
}

interface SessionLogOptions {
  readonly session: string;
  readonly writer: LogWriter;
  /** The log that a fork continues. */
  readonly base?: Base | undefined;
  readonly clock: { now(): number };
}

/** Creates a log that has not been read. Call `refresh` first. */
export function createSessionLog({ session, writer, base, clock }: SessionLogOptions): SessionLog {
  const shared = base?.sequence ?? 0;
  const withBase = (own: LogReader): LogReader => (base === undefined ? own : forkedReader(base, own));
  let head = EMPTY_LOG;
  return {
    reader: withBase(writer),
    get head() {
      return { sequence: head.sequence + shared, hash: head.hash };
    },
    async append(drafts) {
      // The hash chain uses the numbers of its own log, without the entries that a fork shares.
      const own = drafts.map((draft) =>
        draft.parent === undefined ? draft : { ...draft, parent: draft.parent - shared },
      );
      const digests = { digest: sha256, payloadDigest: writer.digest };
      const entries = sealEntries(own, { head, atMs: clock.now(), ...digests });
      const result = await writer.append(entries);
      if (result.kind === "fenced") throw new SessionLostError(session, `${result.owner} has taken it over`);
      if (result.kind === "out-of-order") {
        throw new SessionLostError(session, `its log ends at entry ${result.head.sequence}, not ${head.sequence}`);
      }
      head = result.head;
      return entries.map((entry) => renumbered(entry, shared));
    },
    async erase(entry) {
      const result = await writer.erase(entry - shared);
      if (result === "fenced") throw new SessionLostError(session, "another writer has taken it over");
    },
    async refresh(opened) {
      const batch = opened ?? (await writer.readBatch(OPENING));
      head = batch.head;
      return withBase(cachedReader(writer, OPENING, batch));
    },
  };
}

/**
 * Returns a reader that does not read the entries of a batch again. Use it briefly: the reader does not notice later
 * entries.
 */
export function cachedReader(log: LogReader, request: BatchOptions, { head, entries, newest }: EntryBatch): LogReader {
  const cached = new Map(entries.map((entry) => [entry.sequence, entry]));
  const end = Math.min(request.upTo ?? Number.POSITIVE_INFINITY, head.sequence);
  // All entries from here to the end are cached.
  let tailFrom = end + 1;
  while (request.tail !== undefined && cached.has(tailFrom - 1)) tailFrom--;

  const cachedRange = (from: number, to: number): readonly Entry[] | undefined => {
    const range: Entry[] = [];
    for (let sequence = Math.max(1, from); sequence <= Math.min(to, head.sequence); sequence++) {
      const entry = cached.get(sequence);
      if (entry === undefined) return undefined;
      range.push(entry);
    }
    return range;
  };
  /** `unknown`: only the log has the answer. */
  const cachedNewest = (kind: string, below: number, above = 0): Entry | undefined | "unknown" => {
    if (end < head.sequence && below > end + 1) return "unknown";
    const latest = newest.get(kind);
    if (request.newest?.includes(kind) && (latest === undefined || latest.sequence < below)) return latest;
    const inTail = entries.findLast((one) => one.kind === kind && one.sequence < below && one.sequence >= tailFrom);
    return inTail === undefined && tailFrom > above + 1 ? "unknown" : inTail;
  };

  const reader: LogReader = {
    ...log,
    head: async () => head,
    read: async (from, to) => cachedRange(from, to) ?? log.read(from, to),
    async newest(kind, below = Number.POSITIVE_INFINITY, above = 0) {
      const found = cachedNewest(kind, below, above);
      return found === "unknown" ? log.newest(kind, below, above) : found;
    },
    async readBatch(options) {
      const below = (options.upTo ?? Number.POSITIVE_INFINITY) + 1;
      const missing: BatchOptions = {
        upTo: options.upTo,
        ranges: options.ranges?.filter(({ from, to }) => cachedRange(from, to) === undefined) ?? [],
        newest: options.newest?.filter((kind) => cachedNewest(kind, below) === "unknown") ?? [],
      };
      if (options.tail !== undefined) return log.readBatch(options);
      const isComplete = missing.ranges?.length === 0 && missing.newest?.length === 0;
      return collectBatch(isComplete ? reader : cachedReader(reader, missing, await log.readBatch(missing)), options);
    },
  };
  return reader;
}

/** Returns a reader that has cached these entries. Costs one round trip, or none if no entries are requested. */
export async function withEntries(log: LogReader, request: BatchOptions): Promise<LogReader> {
  const isEmpty = !request.ranges?.length && !request.newest?.length && request.tail === undefined;
  if (isEmpty) return log;
  return cachedReader(log, request, await log.readBatch(request));
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The log that a fork continues, up to the last shared entry. */
export interface Base {
  readonly reader: LogReader;
  readonly sequence: number;
  /** The newest configuration of the parent that the fork has. @default the newest one */
  readonly configuration?: number;
}

/**
 * Returns a reader that shows the log of a fork as one log: the shared entries of the parent, then the fork's own
 * entries, numbered consecutively. Code that works on a log (reading a view, rewinding, recall, search) needs no
 * special case for forks.
 */
export function forkedReader({ reader, sequence: shared, configuration }: Base, own: LogReader): LogReader {
  const parent = configuration === undefined ? reader : withoutConfigurations(reader, configuration);
  const forked: LogReader = {
    ...(own.digests && { digests: own.digests }),
    async head() {
      const { sequence, hash } = await own.head();
      return { sequence: shared + sequence, hash };
    },
    async read(from, to) {
      const before = from <= shared ? await parent.read(from, Math.min(to, shared)) : [];
      const after = to > shared ? await own.read(Math.max(1, from - shared), to - shared) : [];
      return [...before, ...after.map((entry) => renumbered(entry, shared))];
    },
    async newest(kind, below = Number.POSITIVE_INFINITY, above = 0) {
      const entry = below > shared + 1 ? await own.newest(kind, below - shared, above - shared) : undefined;
      if (kind === "erased") return laterOf(entry && renumbered(entry, shared), await parent.newest(kind));
      if (entry !== undefined) return renumbered(entry, shared);
      // An entry that the parent erased later is erased here too. Its payload is gone, and its stub is in a later entry
      // of the parent.
      if (kind.startsWith(ERASED)) return parent.newest(kind);
      return above >= shared ? undefined : parent.newest(kind, Math.min(below, shared + 1), above);
    },
    async search(query, { limit, from = 1, to = Number.MAX_SAFE_INTEGER }) {
      const inOwn = { limit, from: Math.max(1, from - shared), to: to - shared };
      const found = to > shared ? await own.search(query, inOwn) : [];
      const hits = found.map((hit) => ({ ...hit, sequence: hit.sequence + shared }));
      const left = limit - hits.length;
      if (left <= 0 || from > shared) return hits;
      return [...hits, ...(await parent.search(query, { limit: left, from, to: Math.min(to, shared) }))];
    },
    async readBatch(options) {
      // Read each log once, both at the same time. The batch is then collected from cached entries.
      const { ranges = [], newest = [] } = options;
      const erased = newest.filter((kind) => kind.startsWith(ERASED));
      const [ofParent, ofOwn] = await Promise.all([
        withEntries(parent, { ranges: clipped(ranges, 1, shared), newest: erased }),
        withEntries(own, { ranges: clipped(ranges, shared + 1, Number.POSITIVE_INFINITY, shared), newest }),
      ]);
      return collectBatch(forkedReader({ reader: ofParent, sequence: shared }, ofOwn), options);
    },
    close: () => own.close(),
  };
  return forked;
}

/** The later of two entries of different logs. */
function laterOf(one: Entry | undefined, other: Entry | undefined): Entry | undefined {
  return (one?.atMs ?? 0) >= (other?.atMs ?? 0) ? (one ?? other) : other;
}

/** Returns a reader that shows all configurations after an entry as erased, so that they change nothing. */
export function withoutConfigurations(log: LogReader, after: number): LogReader {
  const hide = (entry: Entry): Entry =>
    entry.kind === "configuration" && entry.sequence > after ? { ...entry, payload: undefined } : entry;
  return {
    digests: log.digests,
    head: () => log.head(),
    read: async (from, to) => (await log.read(from, to)).map(hide),
    newest: async (kind, below, above) => {
      const entry = await log.newest(kind, below, above);
      return entry && hide(entry);
    },
    search: (query, options) => log.search(query, options),
    async readBatch(options) {
      const { head, entries, newest } = await log.readBatch(options);
      const shown = [...newest].map(([kind, entry]) => [kind, hide(entry)] as const);
      return { head, entries: entries.map(hide), newest: new Map(shown) };
    },
    close: () => log.close(),
  };
}

/** Clips ranges to the numbers from `first` to `last`, and subtracts `before` from them. */
function clipped(ranges: readonly Range[], first: number, last: number, before = 0): readonly Range[] {
  return ranges
    .map(({ from, to }) => ({ from: Math.max(from, first), to: Math.min(to, last) }))
    .filter(({ from, to }) => from <= to)
    .map(({ from, to }) => ({ from: from - before, to: to - before }));
}

function renumbered(entry: Entry, by: number): Entry {
  return { ...entry, sequence: entry.sequence + by, parent: entry.parent + by };
}

interface ForkedResultsOptions {
  /** The session under which the fork's own results are stored: the parent's, if the fork is temporary. */
  readonly own: string;
  readonly parent: string;
}

/**
 * Returns the results of a fork: its own, and those of its parent. The name of a file follows from its content, so
 * equal names mean equal content.
 */
export function forkedResults(files: ResultFiles, { own, parent }: ForkedResultsOptions): ResultFiles {
  return {
    create: () => files.create(own),
    find: async (_, file) =>
      (await files.find(own, file)) ?? (own === parent ? undefined : await files.find(parent, file)),
    locate: (_, file) => files.locate(own, file),
    sessions: () => files.sessions(),
    measure: (session) => files.measure(session),
    remove: (session, file) => files.remove(session, file),
  };
}
