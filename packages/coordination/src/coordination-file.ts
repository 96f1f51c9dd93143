import { inTransaction, isLocked, retryLocked, sqliteCode } from "palimpsest/sqlite";
import { type CoordinationConnection, connectCoordination } from "./coordination-connection.ts";
import { ClosedCoordinationError, toCoordinationError } from "./coordination-errors.ts";

/** The file of a coordination store. Work is synchronous; waiting for other processes is not. */
export interface CoordinationFile {
  readonly path: string;
  /** Reads a snapshot, also while another process writes. */
  read<T>(work: (connection: CoordinationConnection) => T): Promise<T>;
  /** Runs a transaction after those requested before. Resolves when it is synced. */
  write<T>(work: (connection: CoordinationConnection) => T): Promise<T>;
  /** Blocks every other writer, in all processes, while the work runs. It writes nothing to the file itself. */
  hold<T>(work: (connection: CoordinationConnection) => T | Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export async function openCoordinationFile(
  path: string,
  { lockTimeoutMs }: { lockTimeoutMs: number },
): Promise<CoordinationFile> {
  let connection: CoordinationConnection | undefined;
  let state: "open" | "closed" = "open";
  let last: Promise<unknown> = Promise.resolve();

  const disconnect = (): void => {
    try {
      connection?.database.close();
    } catch {
      // Closing writes the -wal into the file. If that fails the -wal stays, and the next process that opens the file reads it.
    }
    connection = undefined;
  };
  const attempt = <T>(work: (connection: CoordinationConnection) => T): T => {
    try {
      // Two processes on two files of one name would disagree: a replaced file is opened again.
      if (connection?.isCurrent() === false) disconnect();
      connection ??= connectCoordination(path);
      return work(connection);
    } catch (error) {
      if (isLocked(error)) throw error;
      // After a full disk SQLite has rolled back, and the connection is usable. After any other failure a new one is opened.
      if (sqliteCode(error) !== undefined && sqliteCode(error) !== 13) disconnect();
      throw toCoordinationError(path, error);
    }
  };
  const run = <T>(work: (connection: CoordinationConnection) => T): Promise<T> => {
    if (state === "closed") return Promise.reject(new ClosedCoordinationError(path));
    return retryLocked(() => attempt(work), { path, timeoutMs: lockTimeoutMs });
  };
  await run(() => {});

  return {
    path,
    read: run,
    write(work) {
      if (state === "closed") return Promise.reject(new ClosedCoordinationError(path));
      const result = last.then(() => run((opened) => inTransaction(opened, () => work(opened))));
      last = result.catch(() => {});
      return result;
    },
    async hold(work) {
      if (state === "closed") throw new ClosedCoordinationError(path);
      // A connection of its own: a transaction belongs to its connection, and other calls use ours meanwhile.
      const own = await retryLocked(() => begin(path), { path, timeoutMs: lockTimeoutMs });
      try {
        return await work(own);
      } finally {
        // Nothing was written, so nothing must be kept; closing releases the lock.
        own.database.close();
      }
    },
    async close() {
      if (state === "closed") return;
      await last;
      state = "closed";
      disconnect();
    },
  };
}

function begin(path: string): CoordinationConnection {
  let connection: CoordinationConnection | undefined;
  try {
    connection = connectCoordination(path);
    connection.database.exec("BEGIN IMMEDIATE");
    return connection;
  } catch (error) {
    connection?.database.close();
    throw isLocked(error) ? error : toCoordinationError(path, error);
  }
}
