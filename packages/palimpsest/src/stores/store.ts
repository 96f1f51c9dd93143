import type { Entry, LogHead } from "../log/entry.ts";
import type { ResultFiles } from "./results.ts";

/**
 * Where the logs of sessions are kept. One writer at a time: whoever opens a log for writing fences the one before, whose
 * appends are refused from then on, not merged. Every implementation passes `testStore`.
 */
export interface Store {
  /** The ids of all sessions that have a log, in no particular order. */
  sessions(): Promise<readonly string[]>;
  /** Opens a log for reading, at any time and beside any writer; undefined if there is none. */
  openReader(session: string): Promise<LogReader | undefined>;
  /** Opens a log for writing, and begins it if there is none. */
  openWriter(session: string, options: OpenWriterOptions): Promise<OpenWriterResult>;
  /** Who has a log open for writing, beside any of them; undefined if it is free. */
  writerOf(session: string): Promise<BusyWriter | undefined>;
  /** Where results go that are too large for a log: kept for as long as the logs are, and found again where they are. */
  readonly results: ResultFiles;
  /** Closes everything that was opened through this store. */
  close(): Promise<void>;
}

export interface OpenWriterOptions {
  /** Who writes, for whoever finds the log busy: a process id, a host, a name. */
  readonly owner: string;
  /** `if-free` leaves a log alone that another writer holds; `always` fences that writer at once. @default "if-free" */
  readonly takeover?: Takeover;
}

export type Takeover = "if-free" | "always";

export type OpenWriterResult =
  | { readonly kind: "opened"; readonly writer: LogWriter }
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

export interface LogReader {
  /** The newest entry; sequence 0 for an empty log. */
  head(): Promise<LogHead>;
  /** The entries from one number to another, both included, in order; as many of them as there are. */
  read(from: number, to: number): Promise<readonly Entry[]>;
  /** The newest entry of a kind, below a number if one is given. Does not scan the log. */
  newest(kind: string, below?: number): Promise<Entry | undefined>;
  /**
   * The entries that say all of the words in the query, newest first. Several words in double quotes must follow each
   * other; the last word of each may go on (`conn` finds `connection`). Any text is a query: nothing in it is syntax.
   */
  search(query: string, options: SearchOptions): Promise<readonly SearchHit[]>;
  close(): Promise<void>;
}

export interface SearchOptions {
  readonly limit: number;
  /** The first entry to look at. @default the first */
  readonly from?: number;
  /** The last entry to look at. @default the newest */
  readonly to?: number;
}

export interface SearchHit {
  readonly sequence: number;
  /** A piece of the text around the place that was found, on one line. */
  readonly snippet: string;
}

export interface LogWriter extends LogReader {
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

export type AppendResult =
  | { readonly kind: "appended"; readonly head: LogHead }
  /** Another writer has taken the log over. Nothing was written; open it again to go on. */
  | { readonly kind: "fenced"; readonly owner: string; readonly fence: number }
  /** The log does not end where the entries begin. Nothing was written. */
  | { readonly kind: "out-of-order"; readonly head: LogHead };
