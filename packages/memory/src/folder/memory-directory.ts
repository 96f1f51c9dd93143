import { chmodSync, existsSync, mkdirSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { retryLocked, toStoreError } from "palimpsest/sqlite";
import type { MemoryLimits } from "../limits.ts";
import { ClosedMemoryError } from "../memory-errors.ts";
import type { MemoryProblem } from "../memory-files.ts";
import { OURS } from "../paths.ts";
import { type OpenFolders, openFolders } from "./files/open-folders.ts";
import { readOwnFile } from "./files/own-file.ts";
import { removePending } from "./files/pending.ts";
import { scanFiles } from "./files/scan-files.ts";
import { findDifferences } from "./find-differences.ts";
import { createGit, type Git } from "./history/git.ts";
import {
  discardIndexDatabase,
  type IndexDatabase,
  isUseless,
  openIndexDatabase,
  type SeenRow,
} from "./index-database.ts";
import type { MemoryTransaction } from "./memory-transaction.ts";
import { reconcileFiles } from "./reconcile-files.ts";

export interface MemoryDirectoryOptions {
  readonly folder: string;
  readonly clock: { now(): number };
  readonly limits: MemoryLimits;
  readonly gitProgram: string;
  readonly lockTimeoutMs: number;
}

/** State that is known without a write. */
export interface FilesSnapshot {
  readonly folders: OpenFolders;
  readonly rows: ReadonlyMap<string, SeenRow>;
}

export interface MemoryDirectory {
  /** The path with all links resolved. */
  readonly root: () => string;
  readonly git: () => Git;
  readonly gitFolder: () => string;
  /** Runs exclusively among all processes, after the files are reconciled. Its records are kept if it succeeds. */
  transact<T>(work: (transaction: MemoryTransaction) => Promise<T>): Promise<T>;
  /**
   * Runs with what is known of the files, and waits for nobody unless something is to be taken in.
   *
   * @param how `closely`: all files are looked at. `lightly`: only whether names came or went. `as-known`: no file is.
   */
  look<T>(how: "closely" | "lightly" | "as-known", work: (snapshot: FilesSnapshot) => T): Promise<T>;
  problems(): Promise<readonly MemoryProblem[]>;
  close(): Promise<void>;
}

/** Times of folders come from a clock that ticks. */
const TICK_MS = 100;

/** Serializes the work on a memory: in order within this process, one writer at a time among all. */
export function createMemoryDirectory(options: MemoryDirectoryOptions): MemoryDirectory {
  const folder = resolve(options.folder);
  let index: IndexDatabase | undefined;
  let seen: { names: number; rows: ReadonlyMap<string, SeenRow> } | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let closed: Promise<void> | undefined;

  const root = (): string => (existsSync(folder) ? realpathSync(folder) : folder);
  const gitFolder = (): string => join(root(), OURS, "history.git");
  const git = (): Git => createGit(gitFolder(), options.gitProgram);
  const indexPath = (): string => join(root(), OURS, "index.sqlite");

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (closed !== undefined) return Promise.reject(new ClosedMemoryError(folder));
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  }

  async function waitFor<T>(attempt: () => T): Promise<T> {
    const path = indexPath();
    try {
      return await retryLocked(attempt, { path, timeoutMs: options.lockTimeoutMs });
    } catch (error) {
      throw toStoreError(path, error);
    }
  }

  /** The index of that name, also if another process has recreated it. */
  async function connect(): Promise<IndexDatabase> {
    if (index !== undefined && !index.isCurrent()) {
      index.close();
      index = undefined;
    }
    index ??= await waitFor(() => openIndexDatabase(indexPath()));
    return index;
  }

  /** Repeats the work with a new index if the old one is damaged. */
  async function evenIfDamaged<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isUseless(error)) throw error;
      index?.close();
      index = undefined;
      discardIndexDatabase(indexPath());
      return work();
    }
  }

  async function lock(): Promise<IndexDatabase> {
    for (;;) {
      const connected = await connect();
      // IMMEDIATE takes the write lock before anything is read, so reads are still true at the write.
      await waitFor(() => connected.database.exec("BEGIN IMMEDIATE"));
      if (connected.isCurrent()) return connected;
      connected.database.exec("ROLLBACK");
    }
  }

  async function withTransaction<T>(work: (transaction: MemoryTransaction) => Promise<T>): Promise<T> {
    makePrivateFolder(folder);
    const folders = openFolders(root());
    try {
      // A link in its place is found now.
      folders.locateNew(`${OURS}/index.sqlite`);
      const locked = await lock();
      try {
        const { limits, clock } = options;
        const transaction: MemoryTransaction = {
          folders,
          limits,
          index: locked,
          git: git(),
          gitFolder: gitFolder(),
          nowMs: clock.now(),
          rows: locked.rows(),
          contents: [],
          authors: new Map(),
          unsynced: new Set(),
          settled: [],
        };
        await reconcileFiles(transaction);
        const result = await work(transaction);
        locked.database.exec("COMMIT");
        for (const id of transaction.settled) removePending(folders, id);
        return result;
      } catch (error) {
        if (locked.database.isTransaction) locked.database.exec("ROLLBACK");
        locked.forgetRows();
        throw error;
      }
    } finally {
      folders.close();
    }
  }

  async function knownRows(): Promise<ReadonlyMap<string, SeenRow>> {
    return existsSync(indexPath()) ? (await connect()).rows() : new Map();
  }

  /** Returns the rows if they match the files, without a lock. */
  async function currentRows(folders: OpenFolders): Promise<ReadonlyMap<string, SeenRow> | undefined> {
    const { files } = scanFiles(folders);
    const rows = await knownRows();
    if (rows.size === 0) return files.size === 0 ? rows : undefined;
    const { toRead, gone } = findDifferences(files, rows);
    const isSame = (path: string): boolean => {
      const file = readOwnFile(folders.locate(path));
      return typeof file === "object" && "bytes" in file && file.version === rows.get(path)?.version;
    };
    return gone.length === 0 && toRead.every(isSame) ? rows : undefined;
  }

  return {
    root,
    git,
    gitFolder,
    transact: (work) => inTurn(() => evenIfDamaged(() => withTransaction(work))),
    look: (how, work) =>
      inTurn(async () => {
        const folders = openFolders(root());
        try {
          if (how === "as-known") return work({ folders, rows: await evenIfDamaged(knownRows) });
          const names = folders.changedAtMs("") ?? 0;
          const isKnown = how === "lightly" && seen !== undefined && seen.names === names;
          const find = async () =>
            (await currentRows(folders)) ?? (await withTransaction(async (transaction) => transaction.rows));
          const rows = isKnown ? seen!.rows : await evenIfDamaged(find);
          // Names that come within the same tick of the clock would not show.
          const isSettled = names < Date.now() - TICK_MS && folders.changedAtMs("") === names;
          if (!isKnown) seen = isSettled ? { names, rows } : undefined;
          return work({ folders, rows });
        } finally {
          folders.close();
        }
      }),
    problems: () =>
      inTurn(async () => {
        const folders = openFolders(root());
        try {
          return scanFiles(folders).problems;
        } finally {
          folders.close();
        }
      }),
    close() {
      closed ??= last.then(() => index?.close());
      return closed;
    },
  };
}

/** Only missing folders: an existing folder is the user's, whatever its mode. */
function makePrivateFolder(path: string): void {
  if (existsSync(path)) return;
  makePrivateFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (existsSync(path)) return;
    throw error;
  }
  // The umask reduces the mode of mkdir.
  chmodSync(path, 0o700);
}
