// Reads, writes, creates and deletes one log file.

import { randomUUID } from "node:crypto";
import { chmodSync, closeSync, linkSync, openSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { collectBatch } from "../read.ts";
import { assertStorable, type LogReader, type LogWriter } from "../store.ts";
import { ClosedLogError, isLocked, StorageFailedError, toStoreError } from "./errors.ts";
import { APPLICATION_ID, FIRST_WRITER, FORMAT_VERSION, PAGE_SIZE_BYTES, SCHEMA } from "./file-format.ts";
import { createPrivateFolder, syncFolder, writeSynced } from "./files.ts";
import {
  appendEntries,
  type Connection,
  erasePayload,
  inTransaction,
  readHead,
  readNewest,
  readRange,
  readWriter,
  releaseFence,
} from "./log.ts";
import { searchLog } from "./search.ts";

/** Creates a reader. It keeps only the path, no connection, so ten thousand readers cost a few megabytes. */
export function createReader(options: OpenLogOptions): LogReader {
  const queue = createQueue(options);
  const reader: LogReader = {
    ...createReads(queue),
    close: () => queue.close(async () => options.onClose(options.path, reader)),
  };
  return reader;
}

/** Creates the writer of a log. Its appends are refused once another writer has a higher fence. */
export function createWriter(options: OpenLogOptions & { fence: number; clock: { now(): number } }): LogWriter {
  const { path, run, onClose, fence, clock } = options;
  const queue = createQueue(options);
  const writer: LogWriter = {
    ...createReads(queue),
    fence,
    async append(entries) {
      assertStorable(entries);
      return await queue.add((connection) => appendEntries(connection, { fence, entries, nowMs: clock.now() }));
    },
    erase: (sequence) => queue.add((connection) => erasePayload(connection, { fence, sequence })),
    close: () =>
      queue.close(async () => {
        // A log that cannot be marked as free (full disk, removed file) becomes free at the end of the lease.
        await run(path, (connection) => releaseFence(connection, { fence })).catch(() => {});
        onClose(path, writer);
      }),
  };
  return writer;
}

interface OpenLogOptions {
  readonly path: string;
  readonly run: Run;
  readonly onClose: (path: string, closed: LogReader) => void;
}

/** Runs synchronous work on a log file, and waits if another process has locked it. */
export type Run = <T>(path: string, work: (connection: Connection) => T) => Promise<T>;

function createReads(queue: Queue): Omit<LogReader, "close"> {
  const reads: Omit<LogReader, "close"> = {
    head: () => queue.add(readHead),
    read: (from, to) => queue.add((connection) => readRange(connection, { from, to })),
    newest: (kind, below = Number.POSITIVE_INFINITY) =>
      queue.add((connection) => readNewest(connection, { kind, below })),
    readBatch: (options) => collectBatch(reads, options),
    search: (query, options) => searchLog({ ...options, query, run: queue.add }),
  };
  return reads;
}

/** Creates a queue that runs work in order, so that an append cannot overtake an append that waits for a lock. */
function createQueue({ path, run }: OpenLogOptions): Queue {
  let last: Promise<unknown> = Promise.resolve();
  let closed: Promise<void> | undefined;
  return {
    add(work) {
      if (closed !== undefined) return Promise.reject(new ClosedLogError(path));
      const result = last.then(() => run(path, work));
      last = result.catch(() => {});
      return result;
    },
    close(work) {
      closed ??= last.then(work);
      return closed;
    },
  };
}

interface Queue {
  add<T>(work: (connection: Connection) => T): Promise<T>;
  close(work: () => Promise<void>): Promise<void>;
}

/** Retries while the file is locked. Waits outside of SQLite, so that one locked file does not block the other sessions. */
export async function retryLocked<T>(attempt: () => T, options: { path: string; timeoutMs: number }): Promise<T> {
  // Uses real time instead of the injected clock, which may stand still.
  const startMs = performance.now();
  for (let delayMs = 1; ; delayMs = Math.min(50, delayMs * 2)) {
    try {
      return attempt();
    } catch (error) {
      const isPassing = isLocked(error) || (StorageFailedError.isInstance(error) && error.reason === "locked");
      if (!isPassing) throw error;
      if (performance.now() - startMs > options.timeoutMs) throw toStoreError(options.path, error);
    }
    await wait(delayMs * (0.5 + Math.random()));
  }
}

/**
 * Creates empty logs. A file appears under its name only when it is complete and synced. So any other file under this name, even an
 * empty one, is damaged and is never overwritten. The file system must support hard links, because only a hard link names a file and
 * fails if the name exists.
 */
export function createLogFiles(folder: string): { create(path: string): void } {
  let emptyLog: Uint8Array | undefined;
  return {
    create(path) {
      try {
        createPrivateFolder(folder);
        emptyLog ??= buildEmptyLog(folder);
        placeFile(path, emptyLog);
      } catch (error) {
        throw toStoreError(path, error);
      }
    },
  };
}

function buildEmptyLog(folder: string): Uint8Array {
  const path = join(folder, `.new-${randomUUID()}`);
  try {
    closeSync(openSync(path, "wx", 0o600));
    chmodSync(path, 0o600);
    const database = new DatabaseSync(path);
    try {
      database.exec(`PRAGMA page_size=${PAGE_SIZE_BYTES}; PRAGMA synchronous=OFF; PRAGMA journal_mode=WAL;`);
      database.exec(`PRAGMA application_id=${APPLICATION_ID}; PRAGMA user_version=${FORMAT_VERSION};`);
      database.exec([...SCHEMA, FIRST_WRITER].join(";\n"));
    } finally {
      database.close();
    }
    return readFileSync(path);
  } finally {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(path + suffix, { force: true });
  }
}

function placeFile(path: string, bytes: Uint8Array): void {
  const unnamed = join(dirname(path), `.new-${randomUUID()}`);
  try {
    writeSynced(unnamed, bytes);
    linkSync(unnamed, path);
  } catch (error) {
    // Another process has created the same log at the same time.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    // If this process dies first, an unused file of about 30 KB is left behind.
    rmSync(unnamed, { force: true });
  }
  syncFolder(dirname(path));
}

/**
 * Deletes a log file under its write lock. A process that gets the lock afterwards has a file without a name, and its next call
 * reports that the log is gone. So no acknowledged append is lost.
 * @param fence the fence of the deleting writer. @returns `fenced` if another writer has taken over the log
 */
export function deleteLogFile(
  connection: Connection,
  { path, fence }: { readonly path: string; readonly fence: number },
): "deleted" | "fenced" {
  return inTransaction(connection, () => {
    if (readWriter(connection).fence !== fence) return "fenced";
    // The file is removed before its -wal, because a log without its -wal would lose entries.
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
    syncFolder(dirname(path));
    return "deleted";
  });
}
