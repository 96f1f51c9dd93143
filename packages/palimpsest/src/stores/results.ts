/**
 * Where the contents of results are kept that are too large for the log. Every file belongs to one session. A store brings
 * its own (`store.results`). Every implementation passes `testResults`.
 */
export interface ResultFiles {
  /** Begins a file that nobody can find until it is kept. */
  create(session: string): Promise<ResultDraft>;
  /** What was kept under a name; undefined if it is gone. */
  find(session: string, file: string): Promise<ResultContent | undefined>;
  /** The path at which the model's own tools can read it; undefined where there is none. */
  locate(session: string, file: string): string | undefined;
  /** The sessions that have results, in no particular order. */
  sessions(): AsyncIterable<string>;
  /** How much a session has kept, and when it kept the last of it; undefined if it has nothing. */
  measure(session: string): Promise<ResultsSize | undefined>;
  /** Removes one file of a session, or everything that the session has kept. */
  remove(session: string, file?: string): Promise<void>;
}

export interface ResultsSize {
  readonly bytes: number;
  readonly newestAtMs: number;
}

/** A file in the making. Ends with `keep` or `discard`. */
export interface ResultDraft {
  /** The bytes may be used again when this resolves. */
  write(bytes: Uint8Array): Promise<void>;
  /** Gives it the name that follows from its content. When this resolves, it is on the disk (or wherever it is kept). */
  keep(ending: ResultEnding): Promise<{ readonly file: string; readonly digest: string }>;
  discard(): Promise<void>;
}

export type ResultEnding = "txt" | "json";

export interface ResultContent {
  readonly bytes: number;
  /** From the beginning; can be left at any point. */
  chunks(): AsyncIterable<Uint8Array>;
}
