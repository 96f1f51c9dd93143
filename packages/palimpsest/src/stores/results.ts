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

export interface ResultsSize {
  readonly bytes: number;
  readonly newestAtMs: number;
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
