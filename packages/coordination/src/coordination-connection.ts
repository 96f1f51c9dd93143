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

/** An open coordination file. One call uses it at a time: all calls of node:sqlite are synchronous. */
export interface CoordinationConnection {
  readonly database: DatabaseSync;
  /** Prepared when first used, then kept. */
  statement(sql: string): StatementSync;
  /** Whether the path still names the file that was opened. */
  isCurrent(): boolean;
}

// How long SQLite itself waits for a lock, blocking the whole process. Longer waits happen outside of SQLite.
const LOCK_WAIT_MS = 10;
// The file is small; a burst of messages must not leave a large -wal behind.
const MAX_IDLE_WAL_BYTES = 4_194_304;

/**
 * Opens the file, and creates it if it is missing. Unlike a log it may be empty: a process that dies while creating it leaves a
 * file without tables, and the next process continues from there. Tables and marks are created in one transaction.
 */
export function connectCoordination(path: string): CoordinationConnection {
  createIfMissing(path);
  const before = statSync(path, { bigint: true });
  makePrivate(path, Number(before.mode));
  const database = new DatabaseSync(path);
  try {
    // FULL: acknowledged writes are synced. secure_delete: deleted messages between agents are gone.
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

/** Never opens an existing file: closing it would drop the locks of this process (https://sqlite.org/howtocorrupt.html, 2.2). */
function createIfMissing(path: string): void {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return;
  createPrivateFolder(dirname(path));
  try {
    const file = openSync(path, "wx", 0o600);
    // The umask reduces the mode of open.
    fchmodSync(file, 0o600);
    closeSync(file);
    syncFolder(dirname(path));
  } catch (error) {
    // Another process was first: its file is equally good.
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
