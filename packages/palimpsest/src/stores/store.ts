// The port for stores: logs of sessions, their metadata, and results that are too large for a log.
import { InvalidOptionError, PalimpsestError } from "../errors.ts";
import type { Digest, Entry, LogHead } from "../log/entry.ts";

/**
 * Where the logs of sessions are kept. One writer at a time: whoever opens a log for writing fences the one before, whose
 * appends are refused from then on, not merged. Every implementation passes `testStore`.
 */
export interface Store {
  /** Lists the sessions that have a log, page by page, ordered by id (by code units). `eachSession` walks all pages. */
  list(options?: ListOptions): Promise<SessionPage>;
  /** Opens a log for reading, at any time and beside any writer; undefined if there is none. */
  openReader(session: string, options?: OpenReaderOptions): Promise<OpenedReader | undefined>;
  /** Opens a log for writing, and begins it if there is none. */
  openWriter(session: string, options: OpenWriterOptions): Promise<OpenWriterResult>;
  /** Who has a log open for writing, beside any of them; undefined if it is free. */
  writerOf(session: string): Promise<BusyWriter | undefined>;
  /**
   * Deletes a session: its log, its results and its metadata. Refused while a writer holds the log, and while a fork cites
   * it: a fork shows its parent's entries. Looks at the first entry of every log to find forks. Once it is deleted, who
   * still has the log open reads and writes nothing more. A deletion that failed half-way is finished by the next call.
   */
  delete(session: string): Promise<DeleteResult>;
  /**
   * Deletes the sessions of one page that no writer opened or appended to since a time. Sessions that a writer holds or a fork
   * cites are kept and reported. A parent expires after its forks, in the same pass or in the next one.
   */
  expire(options: ExpireOptions): Promise<ExpiredPage>;
  /** Reads a session's metadata without opening its log; undefined if it has none. */
  readMetadata(session: string): Promise<SessionMetadata | undefined>;
  /**
   * Replaces a session's metadata, beside any writer: the last call wins. `absent`: the session has no log.
   * Throws an `InvalidOptionError` for what is no JSON object, or takes more than 16,384 bytes.
   */
  setMetadata(session: string, metadata: SessionMetadata): Promise<"set" | "absent">;
  /** Where results go that are too large for a log: kept for as long as the logs are, and found again where they are. */
  readonly results: ResultFiles;
  /** Closes everything that was opened through this store. */
  close(): Promise<void>;
}

export interface ListOptions {
  /** Lists the sessions behind this id, which need not exist any more. @default from the first */
  readonly after?: string;
  /** At most so many. @default 100 */
  readonly limit?: number;
}

/** A page of sessions. */
export interface SessionPage {
  readonly sessions: readonly ListedSession[];
  /** Pass it as `after` for the next page; absent on the last page. */
  readonly next?: string;
}

/** A session of a store, without its log. */
export interface ListedSession {
  readonly id: string;
  readonly metadata?: SessionMetadata;
}

/** What a host says of a session: any JSON object of at most 16 KB. `title` and `tags` have the same meaning everywhere. */
export interface SessionMetadata {
  readonly title?: string;
  readonly tags?: readonly string[];
  readonly [name: string]: unknown;
}

/** Whether a session was deleted. `cited`: forks still read it. */
export type DeleteResult =
  | { readonly kind: "deleted" }
  /** There is no such session. */
  | { readonly kind: "absent" }
  /** A writer holds its log. Close that session, or wait. */
  | ({ readonly kind: "busy" } & BusyWriter)
  /** These sessions are forks of it. Delete them first. */
  | { readonly kind: "cited"; readonly forks: readonly string[] };

/** Which sessions are old enough to be deleted. */
export interface ExpireOptions extends ListOptions {
  /** Deletes sessions that were silent since this time, by the store's clock. */
  readonly silentSinceMs: number;
}

/** The sessions that were deleted, and those that were kept, with the reason. */
export interface ExpiredPage {
  readonly deleted: readonly string[];
  /** Silent for as long, and kept. */
  readonly kept: readonly KeptSession[];
  /** Pass it as `after` for the next page; absent on the last page. */
  readonly next?: string;
}

export type KeptSession =
  /** A writer holds the log, or a fork cites it. */
  | { readonly id: string; readonly why: "busy" | "cited" }
  /** The log cannot be read or deleted. The other sessions of the page are not affected. */
  | { readonly id: string; readonly why: "failed"; readonly error: Error };

interface OpenReaderOptions {
  /** Reads this as soon as the log is open, in the same round trip. @default nothing */
  readonly read?: BatchOptions;
}

/** A log that was opened for reading. */
interface OpenedReader extends LogReader {
  /** There if `read` was given. */
  readonly batch?: EntryBatch;
}

/** Who opens the log, and whether another writer may be taken over. */
export interface OpenWriterOptions {
  /** Who writes, for whoever finds the log busy: a process id, a host, a name. */
  readonly owner: string;
  /** `if-free` leaves a log alone that another writer holds; `always` fences that writer at once. @default "if-free" */
  readonly takeover?: Takeover;
  /** Reads this as soon as the log is open, in the same round trip. @default nothing */
  readonly read?: BatchOptions;
}

export type Takeover = "if-free" | "always";

/** The writer, or the owner that has the session open. */
export type OpenWriterResult =
  /** `batch` is there if `read` was given. */
  | { readonly kind: "opened"; readonly writer: LogWriter; readonly batch?: EntryBatch }
  /** Another writer has the log open. Wait, ask it to close, or take over. */
  | ({ readonly kind: "busy" } & BusyWriter);

/**
 * A writer holds its log for as long as it is open and alive, whether it appends or not: the store renews its lease by
 * itself. A lease that is not renewed (the machine is gone, the process stands still) ends; where the store can tell that
 * the writer's process is gone, at once. A writer that was replaced learns it with its next append.
 */
export interface BusyWriter {
  readonly owner: string;
  /** When it was last heard of. */
  readonly activeAtMs: number;
  /** When the log is free if nothing more is heard of it. */
  readonly freeAtMs: number;
}

/** Reads one log. */
export interface LogReader {
  /**
   * `keyed`: digests are not SHA-256 of the payloads, because the store encrypts and a short payload could be guessed from that. The
   * store itself has checked that what it read is what was appended. @default SHA-256
   */
  readonly digests?: "keyed";
  /** The newest entry; sequence 0 for an empty log. */
  head(): Promise<LogHead>;
  /** The entries from one number to another, both included, in order; as many of them as there are. */
  read(from: number, to: number): Promise<readonly Entry[]>;
  /**
   * The newest entry of a kind, below a number if one is given. Does not scan the log. Who has no use for an entry that is not above
   * another number says so: the entry may then be missing.
   */
  newest(kind: string, below?: number, above?: number): Promise<Entry | undefined>;
  /** Reads scattered entries and the end of the log at once: one round trip, in a store that is reached over a network. */
  readBatch(options: BatchOptions): Promise<EntryBatch>;
  /**
   * The entries that say all of the words in the query, newest first. Several words in double quotes must follow each
   * other; the last word of each may go on (`conn` finds `connection`). Any text is a query: nothing in it is syntax.
   */
  search(query: string, options: SearchOptions): Promise<readonly SearchHit[]>;
  close(): Promise<void>;
}

/** The entries of a batch, in any combination. */
export interface BatchOptions {
  /** As if the log ended with this entry. @default its newest */
  readonly upTo?: number;
  /** Both ends included, as with `read`. */
  readonly ranges?: readonly { readonly from: number; readonly to: number }[];
  /** The newest entry of each of these kinds. */
  readonly newest?: readonly string[];
  /** The end of the log: from the newest entry of a kind on, or from the first if there is none; at most `limit` entries. */
  readonly tail?: { readonly since: string; readonly limit: number };
}

/** The entries that `BatchOptions` ask for, read at one moment. */
export interface EntryBatch {
  /** Of the whole log. */
  readonly head: LogHead;
  /** The entries of all ranges and of the tail, in order, each once. */
  readonly entries: readonly Entry[];
  /** The newest entries by their kind; without the kinds of which there is none. */
  readonly newest: ReadonlyMap<string, Entry>;
}

/** How many matches, and between which entries. */
export interface SearchOptions {
  readonly limit: number;
  /** The first entry to look at. @default the first */
  readonly from?: number;
  /** The last entry to look at. @default the newest */
  readonly to?: number;
}

/** An entry that matches, with the words around the match. */
export interface SearchHit {
  readonly sequence: number;
  /** A piece of the text around the place that was found, on one line. */
  readonly snippet: string;
}

/** Reads and appends to one log. A store has one writer per session at a time. */
export interface LogWriter extends LogReader {
  /** Digests the payloads of entries for this log. @default SHA-256 */
  readonly digest?: Digest;
  /** Rises with every writer of the log: the one with the highest number is the only one that writes. */
  readonly fence: number;
  /**
   * Appends all of the entries or none. When this resolves to `appended`, they are on the disk (or wherever the store
   * promises to keep them). The first entry's number says what the log must end in for the append to be accepted.
   */
  append(entries: readonly Entry[]): Promise<AppendResult>;
  /** Erases the payload of an entry; number, digest and hash stay. */
  erase(sequence: number): Promise<"erased" | "absent" | "fenced">;
}

/** Whether entries were appended. `fenced`: another writer has taken the session over. */
export type AppendResult =
  | { readonly kind: "appended"; readonly head: LogHead }
  /** Another writer has taken the log over. Nothing was written; open it again to go on. */
  | { readonly kind: "fenced"; readonly owner: string; readonly fence: number }
  /** The log does not end where the entries begin. Nothing was written. */
  | { readonly kind: "out-of-order"; readonly head: LogHead };

/**
 * Storage for results that are too large for the log. Every file belongs to one session. A store has its own (`store.results`).
 * Every implementation passes `testResults`.
 */
export interface ResultFiles {
  /** Starts a file that cannot be found until it is kept. */
  create(session: string): Promise<ResultDraft>;
  /** Returns the content under a name; undefined if it is gone. */
  find(session: string, file: string): Promise<ResultContent | undefined>;
  /** Returns the path at which the model's own tools can read the file; undefined if there is none. */
  locate(session: string, file: string): string | undefined;
  /** Lists the sessions that have results, in no particular order. */
  sessions(): AsyncIterable<string>;
  /** Returns the size of a session's results and the time of the newest; undefined if it has none. */
  measure(session: string): Promise<ResultsSize | undefined>;
  /** Removes one file of a session, or all of its files. */
  remove(session: string, file?: string): Promise<void>;
}

/** A file under construction. It ends with `keep` or `discard`. */
export interface ResultDraft {
  /** The caller may reuse the bytes when this resolves. */
  write(bytes: Uint8Array): Promise<void>;
  /** Gives the file the name that follows from its content. When this resolves, the file is durable. */
  keep(ending: ResultEnding): Promise<{ readonly file: string; readonly digest: string }>;
  discard(): Promise<void>;
}

export type ResultEnding = "txt" | "json";

/** A stored result, read in chunks. */
export interface ResultContent {
  readonly bytes: number;
  /** Yields the content from the beginning; the caller may stop at any point. */
  chunks(): AsyncIterable<Uint8Array>;
}

export interface ResultsSize {
  readonly bytes: number;
  readonly newestAtMs: number;
}

/** Returns the metadata as JSON text. Throws an `InvalidOptionError` if a store could not return the same value. */
export function toMetadataText(metadata: SessionMetadata): string {
  const isObject = typeof metadata === "object" && metadata !== null && !Array.isArray(metadata);
  const text = isObject ? JSON.stringify(metadata) : undefined;
  if (text === undefined) throw new InvalidOptionError("setMetadata(session, metadata)", metadata, "a JSON object");
  const bytes = new TextEncoder().encode(text).length;
  if (bytes <= MAX_METADATA_BYTES) return text;
  throw new InvalidOptionError(
    "setMetadata(session, metadata)",
    metadata,
    "smaller",
    `The metadata takes ${bytes} bytes as JSON; at most ${MAX_METADATA_BYTES} are kept. Leave something out.`,
  );
}

/** The size limit of a session's metadata, as JSON in UTF-8: lists stay fast, and content belongs in the log. */
export const MAX_METADATA_BYTES = 16_384;

/** Parses metadata; undefined for an invalid text. */
export function fromMetadataText(text: string): SessionMetadata | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as SessionMetadata) : undefined;
  } catch {
    return undefined;
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
