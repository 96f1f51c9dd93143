import { chmodSync, closeSync, lstatSync, openSync, renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { sqliteCode } from "palimpsest/sqlite";
import type { FileRow } from "../file-row.ts";
import { UnsafeMemoryError } from "../memory-errors.ts";

/** What is known of one file, and how it looked. All of it can be rebuilt from the files and from history. */
export interface SeenRow extends FileRow {
  /** The stat of the file when it was read, and the time of that by the system's clock. */
  readonly state: string;
  readonly seenAtMs: number;
}

/** `set`: the newest completed set of changes. `head`, `tree`: the newest commit that the rows include. */
export type NoteKey = "set" | "head" | "tree";

export interface IndexDatabase {
  readonly database: DatabaseSync;
  /** Whether the path still names this file: after a removal, another process has another file and another lock. */
  isCurrent(): boolean;
  /** All rows by path: the same map until another connection changes something. */
  rows(): Map<string, SeenRow>;
  put(row: SeenRow): void;
  /** Call it when a transaction is rolled back. */
  forgetRows(): void;
  noted(key: NoteKey): string | undefined;
  note(key: NoteKey, value: string): void;
  close(): void;
}

// Higher numbers are from later releases: an index of any other version is rebuilt.
const FORMAT_VERSION = 1;
/** How long SQLite itself waits for a lock, blocking the whole process. Longer waits happen outside of SQLite. */
const LOCK_WAIT_MS = 10;

const SCHEMA = `
CREATE TABLE file (
  path TEXT PRIMARY KEY,
  version TEXT,
  blob TEXT,
  author TEXT NOT NULL,
  state TEXT NOT NULL,
  seen_at_ms REAL NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  type TEXT NOT NULL,
  updated_at_ms REAL NOT NULL,
  topic TEXT NOT NULL,
  fact TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE note (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
PRAGMA user_version=${FORMAT_VERSION};`;

const COLUMNS = "path, version, blob, author, state, seen_at_ms, name, description, type, updated_at_ms, topic, fact";

/**
 * Opens the index, and creates it if it is missing; one of another format, or an invalid database, is rebuilt. Data that can be
 * rebuilt is not synced; the index still stays consistent through a power loss.
 */
export function openIndexDatabase(path: string): IndexDatabase {
  try {
    return open(path);
  } catch (error) {
    if (!isUseless(error)) throw error;
    discardIndexDatabase(path);
    return open(path);
  }
}

/** Whether an error means that the database is unusable. */
export function isUseless(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === 11 || code === 26 || error instanceof OtherFormatError;
}

/** Moved aside, for inspection. */
export function discardIndexDatabase(path: string): void {
  renameSync(path, `${path}.unusable`);
  for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });
}

class OtherFormatError extends Error {}

function open(path: string): IndexDatabase {
  makePrivateFile(path);
  const before = lstatSync(path);
  const database = new DatabaseSync(path);
  try {
    database.exec(`PRAGMA busy_timeout=${LOCK_WAIT_MS}; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;
      PRAGMA secure_delete=ON; PRAGMA trusted_schema=OFF;`);
    makeSchema(database);
  } catch (error) {
    database.close();
    throw error;
  }
  const put = database.prepare(`INSERT INTO file (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (path) DO UPDATE SET (${COLUMNS}) = (excluded.path, excluded.version, excluded.blob, excluded.author,
      excluded.state, excluded.seen_at_ms, excluded.name, excluded.description, excluded.type, excluded.updated_at_ms,
      excluded.topic, excluded.fact)`);
  const all = database.prepare(`SELECT ${COLUMNS} FROM file`);
  // Changes when another connection has committed something (https://sqlite.org/pragma.html#pragma_data_version).
  const dataVersion = database.prepare("PRAGMA data_version");
  let known: { version: number; rows: Map<string, SeenRow> } | undefined;
  const noted = database.prepare("SELECT value FROM note WHERE key = ?");
  const note = database.prepare("INSERT OR REPLACE INTO note (key, value) VALUES (?, ?)");
  return {
    database,
    isCurrent() {
      const now = lstatSync(path, { throwIfNoEntry: false });
      return now !== undefined && now.ino === before.ino && now.dev === before.dev;
    },
    rows() {
      const version = Number(dataVersion.get()?.["data_version"]);
      if (known?.version !== version) {
        known = { version, rows: new Map(all.all().map((row) => [String(row["path"]), toRow(row)])) };
      }
      return known.rows;
    },
    forgetRows() {
      known = undefined;
    },
    put(row) {
      const { version = null, blob = null, author, state, seenAtMs, name, description, type, updatedAtMs } = row;
      const { path: key, topic, fact } = row;
      known?.rows.set(key, row);
      put.run(key, version, blob, author, state, seenAtMs, name, description, type, updatedAtMs, topic, fact);
    },
    noted: (key) => noted.get(key)?.["value"] as string | undefined,
    note(key, value) {
      note.run(key, value);
    },
    close: () => database.close(),
  };
}

function makeSchema(database: DatabaseSync): void {
  const version = (): number => Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
  if (version() === FORMAT_VERSION) return;
  if (version() !== 0) throw new OtherFormatError(`format ${version()}`);
  database.exec("BEGIN IMMEDIATE");
  // Another process may have made it meanwhile.
  if (version() === 0) database.exec(SCHEMA);
  database.exec("COMMIT");
}

function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
    chmodSync(path, 0o600);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  if (!lstatSync(path).isFile()) throw new UnsafeMemoryError(path);
}

function toRow(row: Record<string, unknown>): SeenRow {
  const { path, version, blob, author, state, seen_at_ms: seenAtMs, name, description, type } = row;
  const { updated_at_ms: updatedAtMs, topic, fact } = row;
  const texts = { path, author, state, name, description, type, topic, fact };
  return { ...texts, version: version ?? undefined, blob: blob ?? undefined, seenAtMs, updatedAtMs } as SeenRow;
}
