// Names the files of a store, creates private folders, and keeps the metadata of sessions in small files.

import { randomUUID } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fromMetadataText, type SessionMetadata } from "../store.ts";
import { toStoreError, UnsafeSessionIdError } from "./errors.ts";

/** Returns the name of a session's log file. */
export function toFileName(session: string): string {
  return toSafeName(session) + SUFFIX;
}

/** Returns the session of a log file; undefined for other files. */
export function fromFileName(name: string): string | undefined {
  return name.endsWith(SUFFIX) ? fromSafeName(name.slice(0, -SUFFIX.length)) : undefined;
}

const SUFFIX = ".sqlite";

/**
 * Returns a session id as a file name that is safe in any file system. A capital letter becomes `+` and the small letter, because `A`
 * and `a` are the same file on macOS and Windows. No allowed character has a special meaning in a path.
 */
export function toSafeName(session: string): string {
  if (!ALLOWED.test(session)) throw new UnsafeSessionIdError(session, ALLOWED_TEXT);
  return session.replace(/[A-Z]/g, (letter) => `+${letter.toLowerCase()}`);
}

/** Returns the session id of a safe name; undefined for other names. */
export function fromSafeName(name: string): string | undefined {
  const session = name.replace(/\+[a-z]/g, (letter) => letter.charAt(1).toUpperCase());
  return ALLOWED.test(session) && toSafeName(session) === name ? session : undefined;
}

const ALLOWED = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/;
const ALLOWED_TEXT = "1 to 100 of the characters A-Z a-z 0-9 _ . - with no . or - at the beginning";

/** Creates missing folders with access for this user only. Existing folders keep their mode. */
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

/** Writes and syncs a new file. */
export function writeSynced(path: string, bytes: Uint8Array): void {
  const file = openSync(path, "wx", 0o600);
  try {
    fchmodSync(file, 0o600);
    // A write to a nearly full disk may write only a part, without an error: measured on a full tmpfs, 1,787 of 3,017 bytes.
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Syncs a folder, because the name of a new file is durable only after that. Windows has no such call and needs none. */
export function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const file = openSync(folder, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Creates access to the metadata files of a store. */
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

/**
 * The metadata of sessions, in one small file each in `metadata/`. Metadata is not in the logs, so that a list of a hundred sessions
 * reads a hundred small files and opens no database.
 */
interface MetadataFiles {
  read(session: string): SessionMetadata | undefined;
  /** @param text the result of `toMetadataText` */
  write(session: string, text: string): void;
  remove(session: string): void;
}

/** Whether an error means that a file does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
