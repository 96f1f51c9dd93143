// Opens log files, checks their format, and keeps the most recently used connections open.

import { accessSync, chmodSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { DamagedLogError, isLocked, LogFormatError, StorageFailedError, sqliteCode, toStoreError } from "./errors.ts";
import { APPLICATION_ID, FORMAT_VERSION, PAGE_SIZE_BYTES, SCHEMA } from "./file-format.ts";
import { type Connection, preparedStatements, readHead, readWriter } from "./log.ts";

/** The open connections of a store. */
export interface ConnectionPool {
  /**
   * Runs synchronous work on the connection of a log, and opens the connection if necessary. Throws SQLite's own error if the file is
   * locked.
   */
  use<T>(path: string, work: (connection: Connection) => T): T;
  /** Closes the connection of a log, if it is open. */
  drop(path: string): void;
  close(): void;
}

/**
 * Keeps the most recently used connections open and closes the others, so that ten thousand sessions can be open. No state depends
 * on an open connection: the fence and the entries are in the file.
 */
export function createConnectionPool({ maxOpenFiles }: { maxOpenFiles: number }): ConnectionPool {
  // In the order of their last use, because a Map keeps the order in which keys were set.
  const open = new Map<string, Connection>();
  /** The state of the files whose connections were closed to make room. */
  const left = new Map<string, string>();

  const drop = (path: string): void => {
    const connection = open.get(path);
    open.delete(path);
    left.delete(path);
    if (connection !== undefined) closeQuietly(connection, "close");
  };
  const shrinkTo = (count: number): void => {
    for (const [path, connection] of open) {
      if (open.size <= count) return;
      open.delete(path);
      const state = closeQuietly(connection, "leave");
      if (state !== undefined) left.set(path, state);
    }
  };
  /** Opens a connection. If the process has no free file descriptors, closes half of the connections and tries again. */
  const openWithRoom = (path: string): Connection => {
    try {
      return openConnection(path, left.get(path));
    } catch (error) {
      // Without a free descriptor, SQLite reports SQLITE_CANTOPEN, and Node reports EMFILE.
      const isOutOfFiles =
        (sqliteCode(error) === 14 && open.size > 0) ||
        (error instanceof Error && "code" in error && error.code === "EMFILE");
      if (!isOutOfFiles) throw error;
      shrinkTo(open.size >> 1);
      return openConnection(path);
    }
  };
  const connect = (path: string): Connection => {
    const found = open.get(path);
    if (found?.isCurrent()) {
      open.delete(path);
      open.set(path, found);
      return found;
    }
    if (found !== undefined) drop(path);
    shrinkTo(maxOpenFiles - 1);
    const connection = openWithRoom(path);
    if (connection.kind === "shared") open.set(path, connection);
    return connection;
  };

  return {
    use(path, work) {
      let connection: Connection | undefined;
      try {
        connection = connect(path);
        const result = work(connection);
        if (connection.kind === "frozen" && !connection.isCurrent())
          throw new StorageFailedError(path, "locked", new Error("it was changed during a read without locks"));
        return result;
      } catch (error) {
        if (isLocked(error)) throw error;
        // After SQLITE_FULL, SQLite has rolled back and the connection still works, while a new connection may not find room for its
        // -shm. After any other error, a new connection is safer.
        if (sqliteCode(error) !== 13) drop(path);
        throw toStoreError(path, error);
      } finally {
        if (connection?.kind === "frozen") closeQuietly(connection, "close");
      }
    },
    drop,
    close() {
      for (const path of open.keys()) drop(path);
    },
  };
}

/**
 * Closes a connection without throwing. Closing writes the -wal into the file. If that fails, the -wal remains, and the next connection
 * reads it.
 */
function closeQuietly<How extends "close" | "leave">(
  connection: Connection,
  how: How,
): ReturnType<Connection[How]> | undefined {
  try {
    return connection.database.isOpen ? (connection[how]() as ReturnType<Connection[How]>) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Opens an existing log, and never creates one. Refuses a file from another program, in a later format, or with visible damage, before
 * anything is written to it. Reads only the schema and the paths to two rows, which takes 2 ms for 1 GB.
 *
 * Reading a WAL database needs its -shm, and SQLite creates one even for a read-only connection. Measured (3.50, 3.53) on a read-only
 * file system: with a -wal and a -shm of a crash, SQLite reads the database. With neither, it reports SQLITE_CANTOPEN, but `immutable=1`
 * works, which is correct because without a -wal all entries are in the file. With a -wal but no -shm, SQLite cannot read the database.
 *
 * @param left the result of `leave` of the last connection. Files that have not changed since then are not checked again.
 */
export function openConnection(path: string, left?: string): Connection {
  for (let tries = 1; ; tries++) {
    const before = stateOf(path);
    try {
      return openChecked(path, before.walBytes, before.text === left ? "as-left" : "unknown");
    } catch (error) {
      // The lock-free check may have read another process's unfinished write.
      if (tries === 4 || isLocked(error) || stateOf(path).text === before.text) throw error;
    }
  }
}

function openChecked(path: string, walBytes: number, files: "as-left" | "unknown"): Connection {
  const sizeBytes = statSync(path).size;
  if (sizeBytes === 0) throw new DamagedLogError(path, new Error("it is empty"));
  // SQLite accepts an incomplete last page. With a -wal, a crash may have left an incomplete page, which the -wal contains, too.
  if (walBytes === 0 && sizeBytes % PAGE_SIZE_BYTES !== 0)
    throw new DamagedLogError(path, new Error(`it was truncated: ${sizeBytes} bytes end in the middle of a page`));
  try {
    // The first connection is read-only, because a writable connection creates a -wal and a -shm, and writes the -wal into the file
    // when it closes. The check uses SQLite instead of our own file access, because closing any descriptor of a file drops all locks
    // of this process on the file (https://sqlite.org/howtocorrupt.html, 2.2). With a -wal, the check reads the -wal, too, because a
    // crash may have interrupted copying the -wal into the file.
    if (files === "as-left") return attempt(path, "rw", "shared");
    if (walBytes > 0) attempt(path, "ro", "shared").close();
    else attempt(path, "ro&immutable=1", "frozen").close();
    return attempt(path, "rw", "shared");
  } catch (error) {
    const code = sqliteCode(error);
    if (code === undefined || isLocked(error) || code === 11 || code === 26) throw error;
    if (walBytes === 0) return attempt(path, "ro&immutable=1", "frozen");
    throw canWrite(dirname(path)) ? error : new StorageFailedError(path, "needs-folder", error);
  }
}

function attempt(path: string, mode: string, kind: Connection["kind"]): Connection {
  const before = statSync(path, { bigint: true });
  if (kind === "shared" && mode === "rw") makePrivate(path, Number(before.mode));
  const database = new DatabaseSync(`${pathToFileURL(path)}?mode=${mode}`, { readOnly: mode !== "rw" });
  const connection: Connection = {
    kind,
    database,
    statement: preparedStatements(database),
    isCurrent() {
      const now = statSync(path, { bigint: true, throwIfNoEntry: false });
      if (now === undefined || now.ino !== before.ino || now.dev !== before.dev) return false;
      return kind === "shared" || (now.mtimeNs === before.mtimeNs && now.size === before.size && !hasWal(path));
    },
    close: () => database.close(),
    leave() {
      const walBytes = sizeOf(`${path}-wal`);
      const guard = 0 < walBytes && walBytes <= MAX_LEFT_WAL_BYTES ? openGuard(path) : undefined;
      try {
        database.close();
      } finally {
        guard?.close();
      }
      return stateOf(path).text;
    },
  };
  try {
    // FULL syncs every append. NORMAL could lose the last commits in a power failure (https://sqlite.org/pragma.html).
    database.exec(`PRAGMA busy_timeout=${LOCK_WAIT_MS}; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON;
      PRAGMA cache_size=-${CACHE_KIB}; PRAGMA journal_size_limit=${MAX_IDLE_WAL_BYTES};
      PRAGMA cell_size_check=ON; PRAGMA trusted_schema=OFF;`);
    checkContent(path, connection);
    return connection;
  } catch (error) {
    database.close();
    throw error;
  }
}

// How long SQLite itself waits for a lock, which blocks the whole process. Longer waits happen outside of SQLite.
const LOCK_WAIT_MS = 10;
// Enough for two paths from the root to a leaf. This limits the memory of a connection after large reads.
const CACHE_KIB = 256;
// A larger -wal is written into the file when its connection is closed, because the next connection must read all of it: 0.2 ms
// for this size.
const MAX_LEFT_WAL_BYTES = 262_144;
// A batch of 1 GB leaves a -wal of 1 GB. SQLite truncates the -wal to this size when it restarts it, at 4 MB.
const MAX_IDLE_WAL_BYTES = 4_194_304;

/** Makes a file private, because a copied or restored file may be readable by all users. -wal and -shm inherit the mode of the file. */
export function makePrivate(path: string, mode: number): void {
  if ((mode & 0o077) === 0) return;
  for (const suffix of ["", "-wal", "-shm"]) {
    try {
      chmodSync(path + suffix, 0o600);
    } catch {
      // The file belongs to another user, or is read-only or missing. It may still be readable.
    }
  }
}

/**
 * Opens a read-only connection that keeps the -wal when another connection closes. The last writable connection that closes writes the
 * -wal into the file and removes it. That costs two syncs, and three more when the next append creates a new -wal.
 */
function openGuard(path: string): DatabaseSync | undefined {
  const guard = new DatabaseSync(`${pathToFileURL(path)}?mode=ro`, { readOnly: true });
  try {
    // SQLite counts the connection only after its first read.
    guard.prepare("SELECT 1 FROM sqlite_schema").get();
    return guard;
  } catch {
    // Probably no file descriptor is left. Then the -wal is removed.
    guard.close();
    return undefined;
  }
}

function checkContent(path: string, connection: Connection): void {
  checkFormat(path, connection.database);
  const found = new Set(
    connection.database
      .prepare("SELECT sql FROM sqlite_schema")
      .all()
      .map(({ sql }) => sql),
  );
  const missing = SCHEMA.find((sql) => !found.has(sql));
  if (missing !== undefined)
    throw new DamagedLogError(path, new Error(`its schema is missing ${missing.split("\n")[0]?.split(" (")[0]}`));
  readWriter(connection);
  readHead(connection);
}

function checkFormat(path: string, database: DatabaseSync): void {
  const applicationId = numberOf(database.prepare("PRAGMA application_id").get());
  const formatVersion = numberOf(database.prepare("PRAGMA user_version").get());
  if (applicationId === APPLICATION_ID && formatVersion === FORMAT_VERSION) return;
  const remedy =
    applicationId !== APPLICATION_ID
      ? "it belongs to another program, or its header is damaged. Move it out of the folder, or try salvageLog."
      : `this version reads format ${FORMAT_VERSION}. Use the version that wrote the file, or a later version.`;
  throw new LogFormatError(path, { applicationId, formatVersion, remedy });
}

function numberOf(row: Record<string, unknown> | undefined): number {
  return Number(Object.values(row ?? {})[0]);
}

function stateOf(path: string): { walBytes: number; text: string } {
  const { ino, size, mtimeNs } = statSync(path, { bigint: true });
  const walBytes = sizeOf(`${path}-wal`);
  return { walBytes, text: [ino, size, mtimeNs, walBytes].join() };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function hasWal(path: string): boolean {
  return sizeOf(`${path}-wal`) > 0;
}

function canWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
