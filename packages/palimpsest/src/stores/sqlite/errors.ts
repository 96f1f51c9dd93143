// The errors of the SQLite store, and the translation of SQLite errors and system errors into them.

import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { PalimpsestError, PathError } from "../../errors.ts";
import { FileFormatError } from "./file-format.ts";

/** Translates an error from SQLite or the file system into an error of the store. */
export function toStoreError(path: string, error: unknown): Error {
  const sqlite = sqliteCode(error);
  if (sqlite !== undefined) {
    const failure = FAILURE_OF_SQLITE[sqlite];
    // Other codes can only come from the file, because our statements and values are valid.
    if (failure === undefined) return new DamagedLogError(path, error);
    // If the -shm does not fit on a full disk, SQLite reports SQLITE_IOERR_SHMSIZE or SQLITE_CANTOPEN.
    return new StorageFailedError(path, failure === "input-output" && isFull(path) ? "disk-full" : failure, error);
  }
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return toError(error);
  // The file contains an integer that this store never writes.
  if (error.code === "ERR_OUT_OF_RANGE") return new DamagedLogError(path, error);
  const isSystem = "syscall" in error;
  return isSystem ? new StorageFailedError(path, FAILURE_OF_SYSTEM[error.code] ?? "input-output", error) : error;
}

const FAILURE_OF_SQLITE: Readonly<Record<number, StorageFailure>> = {
  3: "no-permission",
  5: "locked",
  8: "read-only",
  10: "input-output",
  13: "disk-full",
  14: "input-output",
  15: "locked",
  18: "too-large",
  23: "no-permission",
};

const FAILURE_OF_SYSTEM: Readonly<Record<string, StorageFailure>> = {
  ENOSPC: "disk-full",
  EDQUOT: "disk-full",
  EROFS: "read-only",
  EACCES: "no-permission",
  EPERM: "no-permission",
  EMFILE: "too-many-files",
  ENFILE: "too-many-files",
  ENOENT: "missing",
};

function isFull(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < 65_536;
  } catch {
    return false;
  }
}

/** Returns SQLite's primary result code (https://sqlite.org/rescode.html); undefined for any other error. */
export function sqliteCode(error: unknown): number | undefined {
  const code = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  return typeof code === "number" ? code & 0xff : undefined;
}

/** Whether another process has a lock on the file, which is temporary: SQLITE_BUSY, SQLITE_PROTOCOL. */
export function isLocked(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === 5 || code === 15;
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** Returns the message of an error, or the text of any other thrown value. */
export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** The storage failed. Nothing was partially written. The writer can be used again once the reason is gone. */
export class StorageFailedError extends PathError {
  static readonly code = "storage-failed";
  readonly code: string = StorageFailedError.code;
  readonly reason: StorageFailure;

  constructor(path: string, reason: StorageFailure, cause?: unknown) {
    const detail = cause === undefined ? "" : ` (${messageOf(cause)})`;
    super(path, `${path}: ${REMEDIES[reason]}${detail}.`, { cause });
    this.reason = reason;
  }
}

/** Why a file could not be read or written. */
export type StorageFailure = keyof typeof REMEDIES;

const REMEDIES = {
  "disk-full": "the disk is full. Free some space and try again",
  "read-only": "the file or its file system is read-only. Make it writable and try again",
  locked: "another process has locked it. Find out why that takes so long, and try again",
  "no-permission": "this user has no permission to use it. Change the permissions of the file or its folder",
  "too-many-files": "the process has too many open files. Raise `ulimit -n` or lower maxOpenFiles",
  missing: "it was removed or replaced while it was in use. Restore it, and open the log again",
  "needs-folder":
    "it was not closed properly, so SQLite must write to its folder to read it, and this folder is not writable. Copy it with its -wal to a writable folder",
  "too-large": "an entry is larger than SQLite allows (1,000,000,000 bytes). Store its content outside of the log",
  "input-output": "reading or writing failed. Check the disk, and try again",
} as const;

/** The file no longer contains what was written to it. It was not changed. */
export class DamagedLogError extends PathError {
  static readonly code = "damaged-log";
  readonly code: string = DamagedLogError.code;

  constructor(path: string, cause: unknown) {
    super(
      path,
      `${path} is damaged (${messageOf(cause)}). Nothing was changed. Run salvageLog("${path}", { digest }) to read the remaining entries, and keep the file with its -wal.`,
      { cause },
    );
  }
}

/** The file belongs to another program, or to a later version of this one. It was not changed. */
export class LogFormatError extends FileFormatError {
  static readonly code = "log-format";
  readonly code: string = LogFormatError.code;
}

/** The reader, writer or store was closed earlier. */
export class ClosedLogError extends PathError {
  static readonly code = "closed-log";
  readonly code: string = ClosedLogError.code;

  constructor(path: string) {
    super(path, `${path} was closed. Open it again to use it.`);
  }
}

/** The session id is not a valid file name on every system. */
export class UnsafeSessionIdError extends PalimpsestError {
  static readonly code = "unsafe-session-id";
  readonly code: string = UnsafeSessionIdError.code;
  readonly session: string;

  constructor(session: string, allowed: string) {
    const shown = session.length > 120 ? `${session.slice(0, 120)}... (${session.length} characters)` : session;
    super(`The session id ${JSON.stringify(shown)} cannot name a file. Use ${allowed}.`);
    this.session = session;
  }
}
