import type { DatabaseSync, StatementSync } from "node:sqlite";

/** An open log file. It belongs to one call at a time: all calls of node:sqlite are synchronous. */
export interface Connection {
  /**
   * `shared`: beside writers, as SQLite means it. `frozen`: read without locks, because the folder allows none; what was
   * read holds only if `isCurrent` still says so afterwards.
   */
  readonly kind: "shared" | "frozen";
  readonly database: DatabaseSync;
  /** Prepared when first used, then kept: most sessions need three or four of them. */
  statement(sql: string): StatementSync;
  /** Whether the file under the path is still the one that was opened. */
  isCurrent(): boolean;
  close(): void;
  /** Closes it without the work that saves the next one to open it some. Returns what `openConnection` knows the files by. */
  leave(): string;
}
