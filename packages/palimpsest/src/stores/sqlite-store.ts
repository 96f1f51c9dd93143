// A store that keeps one SQLite file per session.

import { readdirSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { aText, checkOptions } from "../schema/check-options.ts";
import { expirePage } from "./expire.ts";
import { type Place, systemProcesses } from "./owner.ts";
import { forksOf, pageOf } from "./read.ts";
import { resultFiles } from "./result-files.ts";
import { createConnectionPool } from "./sqlite/connections.ts";
import { ClosedLogError, toStoreError } from "./sqlite/errors.ts";
import { createMetadataFiles, fromFileName, toFileName } from "./sqlite/files.ts";
import { createHeartbeat, findOwner, readBeat } from "./sqlite/lease.ts";
import { type FindOwner, readHead, readWriter, takeFence } from "./sqlite/log.ts";
import { createLogFiles, createReader, createWriter, deleteLogFile, type Run, retryLocked } from "./sqlite/log-file.ts";
import {
  type DeleteResult,
  type ListedSession,
  type LogReader,
  type LogWriter,
  type OpenWriterOptions,
  type OpenWriterResult,
  type Store,
  toMetadataText,
} from "./store.ts";

export {
  ClosedLogError,
  DamagedLogError,
  LogFormatError,
  StorageFailedError,
  type StorageFailure,
  UnsafeSessionIdError,
} from "./sqlite/errors.ts";
export type { SalvageProblem } from "./sqlite/salvage.ts";
export { type SalvagedLog, type SalvageOptions, salvageLog } from "./sqlite/salvage.ts";
export { InvalidEntryError } from "./store.ts";

/** Options of `sqliteStore`. Only `folder` is required. */
export interface SqliteStoreOptions {
  /**
   * The folder of the store. It contains one file per session, large results in `tool-results/<session>/`, metadata of sessions in
   * `metadata/`, and in `writers/` a small file for each store that has logs open for writing. The first log creates the folder,
   * with access for this user only.
   */
  readonly folder: string;
  /** @default the system's clock and timers, which do not keep the process alive */
  readonly clock?: StoreClock;
  /**
   * How long a silent writer counts as alive. A writer renews its lease at every third of this time. A writer whose process has
   * ended does not count as alive, if the system can tell. Correctness does not depend on the lease: a replaced writer cannot
   * write, even if clocks are wrong. With 0, every log is always free. @default 30,000
   */
  readonly leaseMs?: number;
  /**
   * How long to wait for a lock of another process on the file, in real time, without blocking this process.
   * @default 5,000
   */
  readonly lockTimeoutMs?: number;
  /**
   * The maximum number of open log files. More sessions can be open, but the least recently used files are closed until their next
   * use. Each open file takes 3 file descriptors. @default 256
   */
  readonly maxOpenFiles?: number;
}

/** The time, and a timer that renews leases. */
export interface StoreClock {
  now(): number;
  /** Calls `work` repeatedly, until the returned function is called. If this function is set, only `now` measures time. */
  repeat?(everyMs: number, work: () => void): () => void;
}

/** The default limits of a store. */
export const DEFAULT_SQLITE_STORE: Required<Omit<SqliteStoreOptions, "folder" | "clock">> = {
  // Longer than the stalls of a busy process, and short enough for a user who waits after a crash on another machine.
  leaseMs: 30_000,
  // The default of most SQLite drivers. Our transactions take milliseconds; a backup that locks the file takes seconds.
  lockTimeoutMs: 5_000,
  // 768 of the 1,024 file descriptors that many systems allow. Measured: an open file takes 220 KB of memory, a session with a
  // closed file 1.3 KB, so 10,000 open writers take 130 MB. Reopening a file costs 1 ms and one sync.
  maxOpenFiles: 256,
};

/**
 * Creates a store that keeps one SQLite file per session (write-ahead log, `synchronous=FULL`, so appended entries are synced).
 * Several processes can use one folder at the same time, on a local disk. SQLite calls block the process while they run.
 */
export function sqliteStore(options: SqliteStoreOptions): Store {
  checkOptions("sqliteStore", options, { folder: aText("the path of a folder for the logs") });
  const { clock = SYSTEM_CLOCK, leaseMs, lockTimeoutMs, maxOpenFiles } = { ...DEFAULT_SQLITE_STORE, ...options };
  const folder = resolve(options.folder);
  const pool = createConnectionPool({ maxOpenFiles });
  const files = createLogFiles(folder);
  const { repeat } = clock;
  const processes = systemProcesses();
  const place: Place = {
    host: hostname(),
    clock,
    processes: repeat === undefined ? processes : { ...processes, ticksMs: () => clock.now() },
  };
  const heartbeat = createHeartbeat({
    folder,
    place,
    leaseMs,
    repeat: (everyMs, work) => (repeat ?? repeatInBackground)(everyMs, work),
  });
  const ownerOf: FindOwner = (writer) => findOwner(writer, readBeat(folder, writer.beat), { place, leaseMs });
  const openLogs = new Map<string, Set<LogReader>>();
  let state: "open" | "closed" = "open";

  const run: Run = (path, work) => retryLocked(() => pool.use(path, work), { path, timeoutMs: lockTimeoutMs });
  const locate = (session: string): string => {
    const path = join(folder, toFileName(session));
    if (state === "closed") throw new ClosedLogError(path);
    return path;
  };
  const remember = <T extends LogReader>(path: string, opened: T): T => {
    openLogs.set(path, (openLogs.get(path) ?? new Set()).add(opened));
    return opened;
  };
  const dropUnused = (path: string): void => {
    if (!openLogs.has(path)) pool.drop(path);
  };
  const forget = (path: string, closed: LogReader): void => {
    const others = openLogs.get(path);
    others?.delete(closed);
    if (others?.size !== 0) return;
    openLogs.delete(path);
    dropUnused(path);
  };

  const leave = (path: string, closed: LogReader): void => {
    heartbeat.leave();
    forget(path, closed);
  };

  const results = resultFiles({ folder });
  const metadata = createMetadataFiles(folder);
  const listed = (id: string): ListedSession => {
    const kept = metadata.read(id);
    return kept === undefined ? { id } : { id, metadata: kept };
  };

  /** Deletes a session as the writer of its log, so that no other writer can append to the log or fork it at the same time. */
  async function deleteAs(
    writer: LogWriter,
    session: string,
    citedBy: () => Promise<readonly string[]>,
  ): Promise<DeleteResult> {
    const path = locate(session);
    try {
      const forks = await citedBy();
      if (forks.length > 0) return { kind: "cited", forks };
      // The log is removed last, so that an interrupted deletion can be repeated.
      await results.remove(session);
      metadata.remove(session);
      const { fence } = writer;
      const deleted = await run(path, (connection) => deleteLogFile(connection, { path, fence }));
      if (deleted === "deleted") return { kind: "deleted" };
      const currentOwner = await store.writerOf(session);
      return currentOwner === undefined ? store.delete(session) : { kind: "busy", ...currentOwner };
    } finally {
      pool.drop(path);
      await writer.close();
    }
  }

  const store: Store = {
    async list(options) {
      const { ids, ...more } = pageOf(
        listFolder(folder).flatMap((name) => fromFileName(name) ?? []),
        options,
      );
      return { sessions: ids.map(listed), ...more };
    },
    async openReader(session, { read } = {}) {
      const path = locate(session);
      if (!exists(path)) return undefined;
      await run(path, readHead);
      const reader = remember(path, createReader({ path, run, onClose: forget }));
      return read === undefined ? reader : { ...reader, batch: await reader.readBatch(read) };
    },
    async openWriter(session, openOptions): Promise<OpenWriterResult> {
      const path = locate(session);
      if (!exists(path)) {
        // Metadata of a deleted session must not apply to a new one with the same id.
        metadata.remove(session);
        files.create(path);
      }
      const request = { ...openOptions, nowMs: clock.now(), beat: heartbeat.name, findOwner: ownerOf };
      const acquired = await run(path, (connection) => takeFence(connection, request));
      if (typeof acquired !== "number") {
        dropUnused(path);
        return { kind: "busy", ...acquired };
      }
      const writer = createWriter({ path, run, onClose: leave, fence: acquired, clock });
      remember(path, writer);
      try {
        heartbeat.enter();
        const { read } = openOptions;
        return { kind: "opened", writer, ...(read && { batch: await writer.readBatch(read) }) };
      } catch (error) {
        await writer.close();
        throw toStoreError(path, error);
      }
    },
    async writerOf(session) {
      const path = locate(session);
      if (!exists(path)) return undefined;
      const currentOwner = await run(path, (connection) => ownerOf(readWriter(connection)));
      dropUnused(path);
      return currentOwner;
    },
    async delete(session) {
      const path = locate(session);
      if (!exists(path)) {
        await results.remove(session);
        metadata.remove(session);
        return { kind: "absent" };
      }
      const opened = await store.openWriter(session, DELETION);
      return opened.kind === "busy" ? opened : deleteAs(opened.writer, session, () => forksOf(store, session));
    },
    expire: (options) =>
      expirePage(store, options, {
        async lastWriter(session) {
          const path = locate(session);
          const writer = exists(path) ? await run(path, readWriter) : undefined;
          dropUnused(path);
          return writer;
        },
        async remove(session, { fence }) {
          const opened = await store.openWriter(session, DELETION);
          if (opened.kind === "busy") return opened;
          const { writer } = opened;
          if (writer.fence === fence + 1) return deleteAs(writer, session, async () => []);
          await writer.close();
          return { kind: "recent" };
        },
      }),
    readMetadata: async (session) => (exists(locate(session)) ? metadata.read(session) : undefined),
    async setMetadata(session, value) {
      const text = toMetadataText(value);
      if (!exists(locate(session))) return "absent";
      metadata.write(session, text);
      return "set";
    },
    results,
    async close() {
      state = "closed";
      await Promise.all([...openLogs.values()].flatMap((logs) => [...logs].map((opened) => opened.close())));
      pool.close();
    },
  };
  return store;
}

const DELETION: OpenWriterOptions = { owner: "deletion" };
const SYSTEM_CLOCK: StoreClock = { now: Date.now };

function repeatInBackground(everyMs: number, work: () => void): () => void {
  const timer = setInterval(work, everyMs).unref();
  return () => clearInterval(timer);
}

function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    throw toStoreError(path, error);
  }
}

function listFolder(folder: string): string[] {
  try {
    return exists(folder) ? readdirSync(folder) : [];
  } catch (error) {
    throw toStoreError(folder, error);
  }
}
