import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { resultFiles } from "./result-files.ts";
import { createConnectionPool } from "./sqlite/connection-pool.ts";
import { createLogFiles } from "./sqlite/create-log-file.ts";
import { createReader, createWriter, type Run, retryLocked } from "./sqlite/open-log.ts";
import { fromFileName, toFileName } from "./sqlite/session-file.ts";
import { readHead, takeFence } from "./sqlite/sqlite-log.ts";
import { ClosedLogError, toStoreError } from "./sqlite/sqlite-store-errors.ts";
import type { LogReader, OpenWriterResult, Store } from "./store.ts";

export type { SalvageProblem } from "./sqlite/findings.ts";
export { type SalvagedLog, type SalvageOptions, salvageLog } from "./sqlite/salvage-log.ts";
export {
  ClosedLogError,
  DamagedLogError,
  InvalidEntryError,
  LogFormatError,
  StorageFailedError,
  type StorageFailure,
  UnsafeSessionIdError,
} from "./sqlite/sqlite-store-errors.ts";

export interface SqliteStoreOptions {
  /**
   * Holds one file per session, and in `tool-results/<session>/` the results that are too large for it. Made (for this user
   * only) when the first log is begun.
   */
  readonly folder: string;
  /** @default the system's clock */
  readonly clock?: { now(): number };
  /**
   * How long a writer that does nothing still counts as active. Only politeness hangs on it: a writer that was replaced
   * cannot write, whatever the clocks say.
   * @default 30,000
   */
  readonly leaseMs?: number;
  /**
   * How long to wait for a lock that another process holds on the file, in real time. The process goes on meanwhile.
   * @default 5,000
   */
  readonly lockTimeoutMs?: number;
  /**
   * Sessions beyond this stay open, but their files are closed until they are used again, the least recently used first.
   * Each open file takes 3 file descriptors.
   * @default 256
   */
  readonly maxOpenFiles?: number;
}

export const DEFAULT_SQLITE_STORE: Required<Omit<SqliteStoreOptions, "folder" | "clock">> = {
  // Longer than a slow disk or a paused process takes for one append; shorter than someone whose process was killed and
  // who starts it again is ready to wait.
  leaseMs: 30_000,
  // The default of most SQLite drivers. A transaction of ours takes milliseconds; a copy of the file with a lock, seconds.
  lockTimeoutMs: 5_000,
  // 768 of the 1,024 file descriptors that many systems grant. Measured: an open file takes 220 KB of memory, a session
  // whose file is closed 1.3 KB, so that 10,000 open writers take 130 MB; opening a file again costs 1 ms, and one sync.
  maxOpenFiles: 256,
};

/**
 * Keeps logs in SQLite files, one per session (write-ahead log, `synchronous=FULL`: what was appended is synced). Several
 * processes may use one folder at the same time, on a local disk. SQLite's calls hold up the process while they run.
 */
export function sqliteStore(options: SqliteStoreOptions): Store {
  const { clock = { now: Date.now }, leaseMs, lockTimeoutMs, maxOpenFiles } = { ...DEFAULT_SQLITE_STORE, ...options };
  const folder = resolve(options.folder);
  const pool = createConnectionPool({ maxOpenFiles });
  const files = createLogFiles(folder);
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
  const forget = (path: string, closed: LogReader): void => {
    const others = openLogs.get(path);
    others?.delete(closed);
    if (others?.size !== 0) return;
    openLogs.delete(path);
    pool.drop(path);
  };

  return {
    async sessions() {
      return listFolder(folder).flatMap((name) => fromFileName(name) ?? []);
    },
    async openReader(session) {
      const path = locate(session);
      if (!exists(path)) return undefined;
      await run(path, readHead);
      return remember(path, createReader({ path, run, onClose: forget }));
    },
    async openWriter(session, openOptions): Promise<OpenWriterResult> {
      const path = locate(session);
      if (!exists(path)) files.create(path);
      const taken = await run(path, (connection) =>
        takeFence(connection, { ...openOptions, leaseMs, nowMs: clock.now() }),
      );
      if (typeof taken !== "number") return { kind: "busy", owner: taken.owner, activeAtMs: taken.activeAtMs };
      const writer = createWriter({ path, run, onClose: forget, fence: taken, clock });
      return { kind: "opened", writer: remember(path, writer) };
    },
    results: resultFiles({ folder }),
    async close() {
      state = "closed";
      await Promise.all([...openLogs.values()].flatMap((logs) => [...logs].map((opened) => opened.close())));
      pool.close();
    },
  };
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
