import type { Connection } from "./connection.ts";
import { openConnection } from "./connections.ts";
import { isLocked, StorageFailedError, sqliteCode, toStoreError } from "./errors.ts";

export interface ConnectionPool {
  /**
   * Runs synchronous work on the log's connection, and opens it if necessary. A locked file throws SQLite's own error.
   */
  use<T>(path: string, work: (connection: Connection) => T): T;
  /** Closes the connection of a log, if it is open. */
  drop(path: string): void;
  close(): void;
}

/**
 * Keeps the most recently used connections open and closes the others, so that ten thousand sessions can be open.
 * Nothing depends on an open connection: fence and entries are in the file.
 */
export function createConnectionPool({ maxOpenFiles }: { maxOpenFiles: number }): ConnectionPool {
  // In the order of their last use: a Map keeps the order in which keys were set.
  const open = new Map<string, Connection>();
  /** State of the files whose connection was closed to make room, and will be opened again. */
  const left = new Map<string, string>();

  const drop = (path: string): void => {
    const connection = open.get(path);
    open.delete(path);
    left.delete(path);
    if (connection !== undefined) quietly(connection, "close");
  };
  const shrinkTo = (count: number): void => {
    for (const [path, connection] of open) {
      if (open.size <= count) return;
      open.delete(path);
      const state = quietly(connection, "leave");
      if (state !== undefined) left.set(path, state);
    }
  };
  /** A process without free file descriptors can free half of ours. */
  const openWithRoom = (path: string): Connection => {
    try {
      return openConnection(path, left.get(path));
    } catch (error) {
      // SQLite reports SQLITE_CANTOPEN if it gets no descriptor; files that Node opens report EMFILE.
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
          throw new StorageFailedError(path, "locked", new Error("it was written to while it was read without locks"));
        return result;
      } catch (error) {
        if (isLocked(error)) throw error;
        // After a full disk SQLite has rolled back, and the connection still works; a new one may not even have room
        // for its -shm. After any other error a new connection is safer.
        if (sqliteCode(error) !== 13) drop(path);
        throw toStoreError(path, error);
      } finally {
        if (connection?.kind === "frozen") quietly(connection, "close");
      }
    },
    drop,
    close() {
      for (const path of open.keys()) drop(path);
    },
  };
}

/**
 * Closing writes the -wal into the file. If that fails, the -wal stays, and the next connection to the log reads it.
 */
function quietly<How extends "close" | "leave">(
  connection: Connection,
  how: How,
): ReturnType<Connection[How]> | undefined {
  try {
    return connection.database.isOpen ? (connection[how]() as ReturnType<Connection[How]>) : undefined;
  } catch {
    // See above.
    return undefined;
  }
}
