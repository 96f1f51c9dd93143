import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { versionOf } from "../../change-set.ts";

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
/** A larger file was not written for a memory, and is not read. */
const MAX_BYTES = 1_048_576;

/** Shows, without reading it, that a file is still the one that was read. */
export interface FileState {
  /** Its location, size and times. An editor cannot set back the time of change. */
  readonly text: string;
  readonly changedAtMs: number;
  readonly modifiedAtMs: number;
}

export interface OwnFile {
  readonly bytes: Buffer;
  readonly version: string;
  readonly state: FileState;
}

export type ReadFile = OwnFile | "absent" | { readonly unsafe: string };
export type SeenFile = FileState | "absent" | { readonly unsafe: string };

/** Reads a plain file with one name. A link of any kind is not followed. */
export function readOwnFile(path: string | undefined): ReadFile {
  const read = readState(path);
  return typeof read === "object" && "bytes" in read ? { ...read, version: versionOf(read.bytes) } : read;
}

/** The same, without the version. */
export function readPlainFile(path: string | undefined): Buffer | undefined {
  const read = readState(path);
  return typeof read === "object" && "bytes" in read ? read.bytes : undefined;
}

function readState(path: string | undefined): Omit<OwnFile, "version"> | Exclude<ReadFile, OwnFile> {
  if (path === undefined) return "absent";
  let descriptor: number;
  try {
    // NONBLOCK: opening a named pipe must not wait for its writer.
    descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    return absentOrUnsafe(error);
  }
  try {
    // Taken before the bytes: an edit during the read then shows.
    const seen = judge(fstatSync(descriptor));
    if ("unsafe" in seen) return seen;
    const bytes = readFileSync(descriptor);
    return { bytes, state: seen };
  } finally {
    closeSync(descriptor);
  }
}

export function seeOwnFile(path: string | undefined): SeenFile {
  const stats = path === undefined ? undefined : lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? "absent" : judge(stats);
}

function judge(stats: Stats): FileState | { readonly unsafe: string } {
  if (stats.isSymbolicLink()) return { unsafe: "is a link" };
  if (!stats.isFile()) return { unsafe: "is no plain file" };
  if (stats.nlink !== 1) return { unsafe: `has ${stats.nlink} names, and may lie elsewhere too` };
  if (stats.size > MAX_BYTES) return { unsafe: `has ${stats.size} bytes, more than the ${MAX_BYTES} that are read` };
  const { ino, size, mtimeMs, ctimeMs } = stats;
  return { text: [ino, size, mtimeMs, ctimeMs].join(), changedAtMs: Math.max(mtimeMs, ctimeMs), modifiedAtMs: mtimeMs };
}

function absentOrUnsafe(error: unknown): "absent" | { readonly unsafe: string } {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT") return "absent";
  if (code === "ELOOP" || code === "EMLINK") return { unsafe: "is a link" };
  if (code === "ENXIO") return { unsafe: "is no plain file" };
  throw error;
}
