import { type Clock, withTimers } from "../clock.ts";
import { InvalidOptionError, SessionBusyError, SessionLostError } from "../errors.ts";
import { namedKind } from "../log/draft.ts";
import { type Draft, EMPTY_LOG, type Entry, type LogHead, sealEntries } from "../log/entry.ts";
import { collectBatch } from "../stores/read.ts";

import { sha256 } from "../stores/sha256.ts";
import type { BatchOptions, EntryBatch, LogReader, LogWriter, ResultFiles, Store, Takeover } from "../stores/store.ts";

/** What a session reads of its log first: most sessions need nothing else. */
export const OPENING: BatchOptions & Required<Pick<BatchOptions, "ranges">> = {
  ranges: [{ from: 1, to: 1 }],
  newest: ["boundary", "restore", "rewind"],
  // More than a compacted session ever has behind its boundary; longer ends are read on in pieces.
  tail: { since: "boundary", limit: 2_048 },
};

/**
 * Reads a log with some entries at hand: entries of a batch are not read again. For one look at the log: the reader does not
 * notice later entries.
 */
export function cachedReader(log: LogReader, asked: BatchOptions, { head, entries, newest }: EntryBatch): LogReader {
  const known = new Map(entries.map((entry) => [entry.sequence, entry]));
  const end = Math.min(asked.upTo ?? Number.POSITIVE_INFINITY, head.sequence);
  // Everything from here up to the end is known.
  let tailFrom = end + 1;
  while (asked.tail !== undefined && known.has(tailFrom - 1)) tailFrom--;

  const knownRange = (from: number, to: number): readonly Entry[] | undefined => {
    const range: Entry[] = [];
    for (let sequence = Math.max(1, from); sequence <= Math.min(to, head.sequence); sequence++) {
      const entry = known.get(sequence);
      if (entry === undefined) return undefined;
      range.push(entry);
    }
    return range;
  };
  /** `unknown` if only the log can tell. */
  const knownNewest = (kind: string, below: number, above = 0): Entry | undefined | "unknown" => {
    if (end < head.sequence && below > end + 1) return "unknown";
    const latest = newest.get(kind);
    if (asked.newest?.includes(kind) && (latest === undefined || latest.sequence < below)) return latest;
    const inTail = entries.findLast((one) => one.kind === kind && one.sequence < below && one.sequence >= tailFrom);
    return inTail === undefined && tailFrom > above + 1 ? "unknown" : inTail;
  };

  const reader: LogReader = {
    ...log,
    head: async () => head,
    read: async (from, to) => knownRange(from, to) ?? log.read(from, to),
    async newest(kind, below = Number.POSITIVE_INFINITY, above = 0) {
      const found = knownNewest(kind, below, above);
      return found === "unknown" ? log.newest(kind, below, above) : found;
    },
    async readBatch(wanted) {
      const below = (wanted.upTo ?? Number.POSITIVE_INFINITY) + 1;
      const missing: BatchOptions = {
        ...(wanted.upTo === undefined ? {} : { upTo: wanted.upTo }),
        ranges: wanted.ranges?.filter(({ from, to }) => knownRange(from, to) === undefined) ?? [],
        newest: wanted.newest?.filter((kind) => knownNewest(kind, below) === "unknown") ?? [],
      };
      if (wanted.tail !== undefined) return log.readBatch(wanted);
      const isComplete = missing.ranges?.length === 0 && missing.newest?.length === 0;
      return collectBatch(isComplete ? reader : cachedReader(reader, missing, await log.readBatch(missing)), wanted);
    },
  };
  return reader;
}

/** The same log, with these entries at hand. Costs one round trip, or none if all of them are. */
export async function withEntries(log: LogReader, wanted: BatchOptions): Promise<LogReader> {
  const isEmpty = !wanted.ranges?.length && !wanted.newest?.length && wanted.tail === undefined;
  if (isEmpty) return log;
  return cachedReader(log, wanted, await log.readBatch(wanted));
}

const ERASED = namedKind("erased", "");

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The log that a fork continues, up to the entry at which it parts from it. */
export interface Base {
  readonly reader: LogReader;
  readonly sequence: number;
}

/**
 * The log of a fork as one: the parent's entries up to where it parts, then its own, numbered on from there. So whatever
 * works on a log (reading a view, going back, recall, search) works on a fork's without knowing of it.
 */
export function forkedReader({ reader: parent, sequence: shared }: Base, own: LogReader): LogReader {
  const reader: LogReader = {
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
      if (entry !== undefined) return renumbered(entry, shared);
      // What the parent has erased since is erased here, too: its payload is gone, and what is shown for it stands later.
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
      // Each log is asked once, both at the same time: what the batch is collected from is at hand then.
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
  return reader;
}

/** The parts of ranges that lie between two numbers, counted from behind `before`. */
function clipped(ranges: readonly Range[], first: number, last: number, before = 0): readonly Range[] {
  return ranges
    .map(({ from, to }) => ({ from: Math.max(from, first), to: Math.min(to, last) }))
    .filter(({ from, to }) => from <= to)
    .map(({ from, to }) => ({ from: from - before, to: to - before }));
}

function renumbered(entry: Entry, by: number): Entry {
  return { ...entry, sequence: entry.sequence + by, parent: entry.parent + by };
}

/** The log of an open session: the only place from which it is written. */
export interface SessionLog {
  readonly reader: LogReader;
  /** The newest entry that is known to be in the log. */
  readonly head: LogHead;
  /** Appends all or nothing; resolves when the entries are kept. */
  append(drafts: readonly Draft[]): Promise<readonly Entry[]>;
  /** Erases the payload of an entry of its own log. */
  erase(entry: number): Promise<void>;
  /**
   * Reads the end of the log, unless it was read just now. After an append that failed half-way, the log may hold entries that
   * were not acknowledged. Returns a reader that has the end at hand, for one look at the log.
   */
  refresh(opened?: EntryBatch): Promise<LogReader>;
}

interface SessionLogOptions {
  readonly session: string;
  readonly writer: LogWriter;
  /** What it continues, if it is a fork's. */
  readonly base?: Base | undefined;
  readonly clock: { now(): number };
}

/** The log as it is before it was read: `refresh` is called first. */
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
      // A log is chained by its own numbers; those of a fork begin behind what it shares.
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

interface ForkedResultsOptions {
  /** The session that the fork's own results are kept for: the parent's, if the fork is forgotten. */
  readonly own: string;
  readonly parent: string;
}

/**
 * The results of a fork: its own, and those of its parent, whose entries it shows. A name follows from the content, so that
 * what the two have under one name is the same.
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

/** What to do about a session that is open elsewhere: leave it, wait for it at most so long, or take it from its writer. */
export type SessionTakeover = Takeover | { readonly waitMs: number };

interface OpenWriterOptions {
  /** @default "process" and its number, or "a runtime without processes" */
  readonly owner?: string;
  /** @default "if-free" */
  readonly takeover?: SessionTakeover;
  /** @default the system's clock */
  readonly clock?: Clock;
}

/** How often it is looked whether the other has closed it: people do not notice, and the disk does not either. */
const LOOK_AGAIN_MS = 200;

export interface OpenedLog {
  readonly writer: LogWriter;
  /** What was read when the log was opened, by a store that can. */
  readonly opened: EntryBatch | undefined;
}

/** Opens a session's log for writing, and reads what a session needs first. Throws a `SessionBusyError` if it is, and stays, open elsewhere. */
export async function openWriter(store: Store, session: string, options: OpenWriterOptions): Promise<OpenedLog> {
  const { owner = nameOwner(), takeover = "if-free" } = options;
  const clock = withTimers(options.clock);
  const waitMs = typeof takeover === "object" ? takeover.waitMs : 0;
  const isKnown = typeof takeover === "object" || takeover === "if-free" || takeover === "always";
  if (!isKnown || !(waitMs >= 0)) {
    throw new InvalidOptionError(
      "takeover",
      takeover,
      '"if-free", "always", or { waitMs } with 0 or more milliseconds',
    );
  }
  const how = { owner, takeover: typeof takeover === "object" ? "if-free" : takeover, read: OPENING } as const;
  // What was waited is counted, and not read from the clock: one that stands still must not make this wait for ever.
  for (let waitedMs = 0; ; ) {
    const result = await store.openWriter(session, how);
    if (result.kind === "opened") return { writer: result.writer, opened: result.batch };
    if (waitedMs >= waitMs) throw new SessionBusyError({ session, ...result });
    const freeInMs = Math.max(1, result.freeAtMs - clock.now());
    const nextMs = Math.min(LOOK_AGAIN_MS, freeInMs, waitMs - waitedMs);
    await clock.wait(nextMs, NEVER);
    waitedMs += nextMs;
  }
}

const NEVER = new AbortController().signal;

function nameOwner(): string {
  const pid = globalThis.process?.pid;
  return pid === undefined ? "a runtime without processes" : `process ${pid}`;
}
