import { randomUUID } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { assertStorable, collectBatch } from "../read.ts";
import { fromMetadataText, type LogReader, type LogWriter, type SessionMetadata } from "../store.ts";
import { ClosedLogError, isLocked, StorageFailedError, toStoreError, UnsafeSessionIdError } from "./errors.ts";
import { APPLICATION_ID, FIRST_WRITER, FORMAT_VERSION, PAGE_SIZE_BYTES, SCHEMA } from "./file-format.ts";
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

/** Runs synchronous work on a log file, and waits if another process has locked it. */
export type Run = <T>(path: string, work: (connection: Connection) => T) => Promise<T>;

interface OpenLogOptions {
  readonly path: string;
  readonly run: Run;
  readonly onClose: (path: string, closed: LogReader) => void;
}

/** A reader holds no connection, only the path: ten thousand of them cost a few megabytes. */
export function createReader(options: OpenLogOptions): LogReader {
  const queue = createQueue(options);
  const reader: LogReader = {
    ...createReads(queue),
    close: () => queue.close(async () => options.onClose(options.path, reader)),
  };
  return reader;
}

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
        // A log that cannot be marked as free (full disk, removed file) is free when the lease is over.
        await run(path, (connection) => releaseFence(connection, { fence })).catch(() => {});
        onClose(path, writer);
      }),
  };
  return writer;
}

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

interface Queue {
  add<T>(work: (connection: Connection) => T): Promise<T>;
  close(work: () => Promise<void>): Promise<void>;
}

/** In order: the next append does not overtake one that waits for a lock. */
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

/** Waits outside of SQLite, so that one locked file does not stop the other sessions of the process. */
export async function retryLocked<T>(attempt: () => T, options: { path: string; timeoutMs: number }): Promise<T> {
  // Real time, not the injected clock: a clock that stands still must not make this wait for ever.
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
 * Makes empty logs. A file appears under its name complete and synced or not at all, so that whatever stands there and is
 * no log (an empty file too) is damage, and nothing is ever begun anew over it. The file system must know hard links:
 * only they give a name to a file and fail if the name is taken.
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

function placeFile(path: string, bytes: Uint8Array): void {
  const unnamed = join(dirname(path), `.new-${randomUUID()}`);
  try {
    writeSynced(unnamed, bytes);
    linkSync(unnamed, path);
  } catch (error) {
    // Another process was first: its file is equally good.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    // If this process dies first, an unused file of some 30 KB stays behind.
    rmSync(unnamed, { force: true });
  }
  syncFolder(dirname(path));
}

/** Only for missing folders: an existing folder is the user's, whatever its mode. */
export function createPrivateFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) createPrivateFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (existsSync(folder)) return;
    throw error;
  }
  // The umask reduces the mode of mkdir.
  chmodSync(folder, 0o700);
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

function writeSynced(path: string, bytes: Uint8Array): void {
  const file = openSync(path, "wx", 0o600);
  try {
    fchmodSync(file, 0o600);
    // A disk that fills up writes a part without an error: measured on a full tmpfs, 1,787 of 3,017 bytes.
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The name of a new file is durable only after its folder is synced. Windows has no such call, and needs none. */
export function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const file = openSync(folder, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Removes a log file. The write lock is held meanwhile: whoever gets it afterwards has a file without a name, and learns
 * from its next call that the log is gone. So no append is acknowledged and lost.
 * @param fence of the writer that deletes; `fenced` if another one has taken the log since
 */
export function deleteLogFile(
  connection: Connection,
  { path, fence }: { readonly path: string; readonly fence: number },
): "deleted" | "fenced" {
  return inTransaction(connection, () => {
    if (readWriter(connection).fence !== fence) return "fenced";
    // The file itself goes first: a -wal without it is nobody's, while a log without its -wal would have lost entries.
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
    syncFolder(dirname(path));
    return "deleted";
  });
}

const ALLOWED = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/;
const ALLOWED_TEXT = "1 to 100 of the characters A-Z a-z 0-9 _ . - and no . or - at the beginning";
const SUFFIX = ".sqlite";

/**
 * A session id as a name that is safe in any file system. Capitals are written as `+` and the small letter, because `A`
 * and `a` are the same file on macOS and Windows; no allowed character has a meaning in any path.
 */
export function toSafeName(session: string): string {
  if (!ALLOWED.test(session)) throw new UnsafeSessionIdError(session, ALLOWED_TEXT);
  return session.replace(/[A-Z]/g, (letter) => `+${letter.toLowerCase()}`);
}

/** The name of the file that holds a session. */
export function toFileName(session: string): string {
  return toSafeName(session) + SUFFIX;
}

/** The session that a file holds; undefined for a file that is none of ours. */
export function fromFileName(name: string): string | undefined {
  return name.endsWith(SUFFIX) ? fromSafeName(name.slice(0, -SUFFIX.length)) : undefined;
}

/** The session that is written as this name; undefined for a name that is none of ours. */
export function fromSafeName(name: string): string | undefined {
  const session = name.replace(/\+[a-z]/g, (letter) => letter.charAt(1).toUpperCase());
  return ALLOWED.test(session) && toSafeName(session) === name ? session : undefined;
}

/**
 * The metadata of sessions, one small file each in `metadata/`. Beside the logs rather than in them: a list of a hundred
 * sessions reads a hundred small files, and opens no database.
 */
interface MetadataFiles {
  read(session: string): SessionMetadata | undefined;
  /** @param text as `toMetadataText` gives it */
  write(session: string, text: string): void;
  remove(session: string): void;
}

export function createMetadataFiles(folder: string): MetadataFiles {
  const own = join(folder, "metadata");
  const pathOf = (session: string): string => join(own, `${toSafeName(session)}.json`);
  return {
    read(session) {
      try {
        return fromMetadataText(readFileSync(pathOf(session), "utf8"));
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw toStoreError(pathOf(session), error);
      }
    },
    write(session, text) {
      const unnamed = join(own, `.new-${randomUUID()}`);
      try {
        createPrivateFolder(own);
        writeSynced(unnamed, new TextEncoder().encode(text));
        renameSync(unnamed, pathOf(session));
        syncFolder(own);
      } catch (error) {
        rmSync(unnamed, { force: true });
        throw toStoreError(pathOf(session), error);
      }
    },
    remove: (session) => rmSync(pathOf(session), { force: true }),
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
