import { closeSync, fchmodSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import {
  createPrivateFolder,
  inTransaction,
  makePrivate,
  preparedStatements,
  StorageFailedError,
  syncFolder,
} from "palimpsest/sqlite";
import { CoordinationFormatError } from "./coordination-errors.ts";
import { APPLICATION_ID, FORMAT_VERSION, SCHEMA } from "./coordination-schema.ts";

/** An open home file. It belongs to one call at a time: all calls of node:sqlite are synchronous. */
export interface CoordinationConnection {
  readonly database: DatabaseSync;
  /** Prepared when first used, then kept. */
  statement(sql: string): StatementSync;
  /** Whether the file under the path is still the one that was opened. */
  isCurrent(): boolean;
}

// How long SQLite itself waits for a lock, and with it the whole process. What is longer is waited for outside of it.
const LOCK_WAIT_MS = 10;
// The file is small; a burst of messages must not leave a large -wal behind for good.
const MAX_IDLE_WAL_BYTES = 4_194_304;

/**
 * Opens the file, and makes it where there is none. Unlike a log it may be found empty: a process that dies while it makes
 * one leaves a file without tables, and the next one goes on from there. Tables and marks come in one transaction.
 */
export function connectCoordination(path: string): CoordinationConnection {
  createIfMissing(path);
  const before = statSync(path, { bigint: true });
  makePrivate(path, Number(before.mode));
  const database = new DatabaseSync(path);
  try {
    // FULL: what was acknowledged is synced. secure_delete: what was said between agents is gone when it is deleted.
    database.exec(`PRAGMA busy_timeout=${LOCK_WAIT_MS}; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON;
      PRAGMA journal_size_limit=${MAX_IDLE_WAL_BYTES}; PRAGMA cell_size_check=ON; PRAGMA trusted_schema=OFF;`);
    if (readFormat(path, database) === "empty") createTables(path, database);
  } catch (error) {
    database.close();
    throw error;
  }
  return {
    database,
    statement: preparedStatements(database),
    isCurrent() {
      const now = statSync(path, { bigint: true, throwIfNoEntry: false });
      return now !== undefined && now.ino === before.ino && now.dev === before.dev;
    },
  };
}

/** Never opens a file that is there: closing it would drop the locks of this process (https://sqlite.org/howtocorrupt.html, 2.2). */
function createIfMissing(path: string): void {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return;
  createPrivateFolder(dirname(path));
  try {
    const file = openSync(path, "wx", 0o600);
    // The mode of open is cut by the umask.
    fchmodSync(file, 0o600);
    closeSync(file);
    syncFolder(dirname(path));
  } catch (error) {
    // Another process was first: its file is as good.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

function readFormat(path: string, database: DatabaseSync): "empty" | "ours" {
  const applicationId = numberOf(database, "PRAGMA application_id");
  const formatVersion = numberOf(database, "PRAGMA user_version");
  if (applicationId === APPLICATION_ID && formatVersion === FORMAT_VERSION) return "ours";
  if (applicationId === 0 && formatVersion === 0 && numberOf(database, "SELECT count(*) FROM sqlite_schema") === 0)
    return "empty";
  const remedy =
    applicationId !== APPLICATION_ID
      ? "it belongs to another program. Choose another file."
      : `this version knows format ${FORMAT_VERSION}. Use the version that wrote it, or a later one.`;
  throw new CoordinationFormatError(path, { applicationId, formatVersion, remedy });
}

function createTables(path: string, database: DatabaseSync): void {
  const mode = Object.values(database.prepare("PRAGMA journal_mode=WAL").get() ?? {})[0];
  if (mode !== "wal")
    throw new StorageFailedError(path, "input-output", new Error("its file system takes no write-ahead log"));
  inTransaction({ database }, () => {
    // Another process may have been first.
    if (readFormat(path, database) === "ours") return;
    database.exec(`${SCHEMA.join(";\n")};
      PRAGMA application_id=${APPLICATION_ID}; PRAGMA user_version=${FORMAT_VERSION};`);
  });
}

function numberOf(database: DatabaseSync, sql: string): number {
  return Number(Object.values(database.prepare(sql).get() ?? {})[0]);
}
