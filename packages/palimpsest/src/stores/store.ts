// The port for stores: logs of sessions, their metadata, and results that are too large for a log.

import { InvalidOptionError, PalimpsestError } from "../errors.ts";
import type { Digest, Entry, LogHead } from "../log/entry.ts";

/**
 * Keeps the logs of sessions. A log has one writer at a time: opening a log for writing fences the previous writer, whose later
 * appends are refused, not merged. Every implementation passes `testStore`.
 */
export interface Store {
  /** Lists the sessions that have a log, page by page, ordered by id (by code units). `eachSession` walks all pages. */
  list(options?: ListOptions): Promise<SessionPage>;
  /** Opens a log for reading, at any time, even while a writer has it open; undefined if the log does not exist. */
  openReader(session: string, options?: OpenReaderOptions): Promise<OpenedReader | undefined>;
  /** Opens a log for writing, and creates the log if it does not exist. */
  openWriter(session: string, options: OpenWriterOptions): Promise<OpenWriterResult>;
  /** Returns the writer that has a log open; undefined if the log is free. */
  writerOf(session: string): Promise<BusyWriter | undefined>;
  /**
   * Deletes a session: its log, its results and its metadata. Refuses while a writer has the log open, and while a fork cites the
   * session, because a fork shows its parent's entries. Reads the first entry of every log to find forks. Readers and writers that
   * still have the deleted log open read and write nothing more. The next call finishes an interrupted deletion.
   */
  delete(session: string): Promise<DeleteResult>;
  /**
   * Deletes the sessions of one page that no writer has opened or appended to since a time. Sessions that a writer has open or a
   * fork cites are kept and reported. A parent expires after its forks, in the same pass or in the next one.
   */
  expire(options: ExpireOptions): Promise<ExpiredPage>;
  /** Reads a session's metadata without opening its log; undefined if the session has no metadata. */
  readMetadata(session: string): Promise<SessionMetadata | undefined>;
  /**
   * Replaces a session's metadata, even while a writer has the log open: the last call wins. `absent`: the session has no log.
   * Throws an `InvalidOptionError` if the metadata is not a JSON object, or takes more than 16,384 bytes.
   */
  setMetadata(session: string, metadata: SessionMetadata): Promise<"set" | "absent">;
  /** Keeps results that are too large for a log, for as long as the logs. */
  readonly results: ResultFiles;
  /** Closes all readers and writers of this store. */
  close(): Promise<void>;
}

export interface ListOptions {
  /** Lists the sessions after this id. The id may belong to a deleted session. @default from the first */
  readonly after?: string;
  /** The maximum number of sessions. @default 100 */
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

/** The host's description of a session: any JSON object of at most 16 KB. `title` and `tags` have the same meaning everywhere. */
export interface SessionMetadata {
  readonly title?: string;
  readonly tags?: readonly string[];
  readonly [name: string]: unknown;
}

/** The result of a deletion. */
export type DeleteResult =
  | { readonly kind: "deleted" }
  /** The session does not exist. */
  | { readonly kind: "absent" }
  /** A writer has the log open. Close that session, or wait. */
  | ({ readonly kind: "busy" } & BusyWriter)
  /** These forks still read the session. Delete them first. */
  | { readonly kind: "cited"; readonly forks: readonly string[] };

/** Selects the sessions that are old enough to be deleted. */
export interface ExpireOptions extends ListOptions {
  /** Deletes sessions that had no writer activity since this time, by the store's clock. */
  readonly silentSinceMs: number;
}

/** The sessions that were deleted, and those that were kept, with the reason. */
export interface ExpiredPage {
  readonly deleted: readonly string[];
  /** Sessions that are old enough, but were kept. */
  readonly kept: readonly KeptSession[];
  /** Pass it as `after` for the next page; absent on the last page. */
  readonly next?: string;
}

export type KeptSession =
  /** A writer has the log open, or a fork cites the session. */
  | { readonly id: string; readonly why: "busy" | "cited" }
  /** The log cannot be read or deleted. The other sessions of the page are not affected. */
  | { readonly id: string; readonly why: "failed"; readonly error: Error };

interface OpenReaderOptions {
  /** Reads this as soon as the log is open, in the same round trip. @default nothing */
  readonly read?: BatchOptions;
}

/** A log that was opened for reading. */
interface OpenedReader extends LogReader {
  /** Present if `read` was set. */
  readonly batch?: EntryBatch;
}

/** Names the new writer, and says whether to replace another writer. */
export interface OpenWriterOptions {
  /** The name of the writer, which others see if the log is busy: for example a process id and a host. */
  readonly owner: string;
  /** `if-free` refuses if another writer has the log open; `always` fences that writer at once. @default "if-free" */
  readonly takeover?: Takeover;
  /** Reads this as soon as the log is open, in the same round trip. @default nothing */
  readonly read?: BatchOptions;
}

export type Takeover = "if-free" | "always";

/** The opened writer, or the writer that has the log open. */
export type OpenWriterResult =
  /** `batch` is present if `read` was set. */
  | { readonly kind: "opened"; readonly writer: LogWriter; readonly batch?: EntryBatch }
  /** Another writer has the log open. Wait, ask it to close, or take over. */
  | ({ readonly kind: "busy" } & BusyWriter);

/**
 * The writer that owns a log. A writer owns its log as long as it is open and alive, even if it appends nothing: the store renews
 * the lease. A lease ends if it is not renewed (the machine has failed, or the process hangs), and at once if the store can tell
 * that the writer's process has ended. A replaced writer learns about its successor from its next append.
 */
export interface BusyWriter {
  readonly owner: string;
  /** The last sign of activity. */
  readonly activeAtMs: number;
  /** The time at which the log becomes free without further activity. */
  readonly freeAtMs: number;
}

/** Reads one log. */
export interface LogReader {
  /**
   * `keyed`: digests are not SHA-256 of the payloads, because the store encrypts, and short payloads could be guessed from SHA-256. The
   * store itself has checked that entries are unchanged. @default SHA-256
   */
  readonly digests?: "keyed";
  /** Returns the number and hash of the newest entry; sequence 0 for an empty log. */
  head(): Promise<LogHead>;
  /** Reads the entries from one number to another, both included, in order. Numbers outside the log are ignored. */
  read(from: number, to: number): Promise<readonly Entry[]>;
  /**
   * Returns the newest entry of a kind, with a number less than `below`. Does not scan the log. A store may return undefined if the entry's
   * number is not greater than `above`.
   */
  newest(kind: string, below?: number, above?: number): Promise<Entry | undefined>;
  /** Reads scattered entries and the end of the log together: one round trip in a store that is reached over a network. */
  readBatch(options: BatchOptions): Promise<EntryBatch>;
  /**
   * Finds the entries with all words of the query, newest first. Words in double quotes must be consecutive. The last word of each
   * phrase may be a prefix (`conn` finds `connection`). Any text is a valid query.
   */
  search(query: string, options: SearchOptions): Promise<readonly SearchHit[]>;
  close(): Promise<void>;
}

/** Selects the entries of a batch. All options can be combined. */
export interface BatchOptions {
  /** Reads as if the log ended with this entry. @default the newest entry */
  readonly upTo?: number;
  /** Entry ranges, both ends included. */
  readonly ranges?: readonly { readonly from: number; readonly to: number }[];
  /** Reads the newest entry of each of these kinds. */
  readonly newest?: readonly string[];
  /** Reads the end of the log, from the newest entry of the kind `since`, or from the first entry; at most `limit` entries. */
  readonly tail?: { readonly since: string; readonly limit: number };
}

/** The entries that `BatchOptions` select, read at one moment. */
export interface EntryBatch {
  /** The head of the whole log. */
  readonly head: LogHead;
  /** The entries of all ranges and of the tail, in order, each once. */
  readonly entries: readonly Entry[];
  /** The newest entries by kind. Kinds without an entry are missing. */
  readonly newest: ReadonlyMap<string, Entry>;
}

/** The maximum number of matches, and the range of entries to search. */
export interface SearchOptions {
  readonly limit: number;
  /** The first entry to search. @default the first */
  readonly from?: number;
  /** The last entry to search. @default the newest */
  readonly to?: number;
}

/** A matching entry, with the words around the match. */
export interface SearchHit {
  readonly sequence: number;
  /** The text around the match, on one line. */
  readonly snippet: string;
}

/** Reads and appends to one log. A store has one writer per session at a time. */
export interface LogWriter extends LogReader {
  /** Digests the payloads of entries for this log. @default SHA-256 */
  readonly digest?: Digest;
  /** A number that increases with every writer of the log. Only the writer with the highest number can write. */
  readonly fence: number;
  /**
   * Appends all entries or none. When this resolves to `appended`, the entries are durable, as the store promises. The log must
   * end just before the number of the first entry.
   */
  append(entries: readonly Entry[]): Promise<AppendResult>;
  /** Erases the payload of an entry. The number, digest and hash are kept. */
  erase(sequence: number): Promise<"erased" | "absent" | "fenced">;
}

/** The result of an append. */
export type AppendResult =
  | { readonly kind: "appended"; readonly head: LogHead }
  /** Another writer has taken over the log. Nothing was written. Open the log again to continue. */
  | { readonly kind: "fenced"; readonly owner: string; readonly fence: number }
  /** The log does not end where the entries begin. Nothing was written. */
  | { readonly kind: "out-of-order"; readonly head: LogHead };

/**
 * Keeps results that are too large for the log, one file each. Every file belongs to one session. A store has its own result files
 * (`store.results`). Every implementation passes `testResults`.
 */
export interface ResultFiles {
  /** Starts a file. `find` returns the file only after `keep`. */
  create(session: string): Promise<ResultDraft>;
  /** Returns the content of a file; undefined if the file is gone. */
  find(session: string, file: string): Promise<ResultContent | undefined>;
  /** Returns the path at which the model's tools can read the file; undefined if the file has no path. */
  locate(session: string, file: string): string | undefined;
  /** Lists the sessions that have results, in no particular order. */
  sessions(): AsyncIterable<string>;
  /** Returns the total size of a session's results and the time of the newest; undefined without results. */
  measure(session: string): Promise<ResultsSize | undefined>;
  /** Removes one file of a session, or all of its files. */
  remove(session: string, file?: string): Promise<void>;
}

/** A result file that is being written. End it with `keep` or `discard`. */
export interface ResultDraft {
  /** Appends bytes. The caller may reuse the buffer when this resolves. */
  write(bytes: Uint8Array): Promise<void>;
  /** Names the file by its content. When this resolves, the file is durable. */
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
    `The metadata takes ${bytes} bytes as JSON; the limit is ${MAX_METADATA_BYTES}. Remove some fields.`,
  );
}

/** The size limit of a session's metadata, as JSON in UTF-8. Small metadata keeps lists fast; content belongs in the log. */
export const MAX_METADATA_BYTES = 16_384;

/** Parses metadata; returns undefined for an invalid text. */
export function fromMetadataText(text: string): SessionMetadata | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as SessionMetadata) : undefined;
  } catch {
    return undefined;
  }
}

/** Throws an `InvalidEntryError` for entries that a database would return changed. */
export function assertStorable(entries: readonly Entry[]): void {
  for (const { sequence, parent, kind, version, atMs, digest, hash, payload = "" } of entries) {
    for (const [field, value] of Object.entries({ sequence, parent, version })) {
      if (!Number.isSafeInteger(value))
        throw new InvalidEntryError({ sequence, field, reason: `is ${value}, which is not an integer` });
    }
    if (!Number.isFinite(atMs)) throw new InvalidEntryError({ sequence, field: "atMs", reason: `is ${atMs}` });
    for (const [field, value] of Object.entries({ kind, digest, hash, payload })) {
      if (!value.isWellFormed())
        throw new InvalidEntryError({ sequence, field, reason: "contains half a surrogate pair" });
      // Node 22 reads a SQLite text only up to the first NUL, and PostgreSQL refuses NUL. JSON text escapes NUL characters.
      if (value.includes("\0")) throw new InvalidEntryError({ sequence, field, reason: "contains a NUL character" });
    }
  }
}

/** A store could not return this entry unchanged. Nothing was written. */
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
