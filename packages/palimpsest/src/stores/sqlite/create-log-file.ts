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
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { toStoreError } from "./errors.ts";
import { APPLICATION_ID, FIRST_WRITER, FORMAT_VERSION, PAGE_SIZE_BYTES, SCHEMA } from "./sqlite-schema.ts";

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

export function writeSynced(path: string, bytes: Uint8Array): void {
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
