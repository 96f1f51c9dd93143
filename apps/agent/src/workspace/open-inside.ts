import { createHash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { isInside } from "./path-guard.ts";

/** The error for a file outside the allowed folders, or for a device, pipe or socket. */
export class UnsafeFileError extends Error {}

// Windows does not have these flags. NONBLOCK: opening a named pipe must not wait for its writer.
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_DIRECTORY = 0 } = constants;

/**
 * Opens a regular file below `root` for reading. Both paths must have their links resolved. The function does not
 * follow a link that was created after this check. It detects a folder that was replaced by a link through the real
 * path of the opened file.
 */
export async function openInside(path: string, root: string): Promise<FileHandle> {
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "ELOOP" ? new UnsafeFileError(`${path} has become a link. Nothing was read.`) : error;
  });
  try {
    const facts = await file.stat();
    if (facts.isDirectory()) throw new UnsafeFileError(`${path} is a folder. List it with Glob.`);
    if (!facts.isFile())
      throw new UnsafeFileError(`${path} is no plain file but a device, a pipe or a socket. It was not read.`);
    await assertInside(file, path, root);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

interface WriteInsideOptions {
  readonly path: string;
  readonly root: string;
  readonly content: string | Uint8Array;
  /** The file mode. @default the mode of the existing file; for a new file, 0666 without the umask */
  readonly mode?: number;
}

/**
 * Writes a file below `root` atomically: to a temporary file, then by renaming. A folder that is replaced by a link
 * during the write cannot redirect it (see `inFolder`).
 */
export async function writeInside({ path, root, content, mode }: WriteInsideOptions): Promise<void> {
  await inFolder(path, root, async (at) => {
    const target = join(at, basename(path));
    const kept =
      mode ??
      (await stat(target).then(
        ({ mode }) => mode & 0o7777,
        () => undefined,
      ));
    const beside = join(at, `.${randomUUID()}.new`);
    try {
      const file = await open(beside, "wx", kept ?? 0o666);
      try {
        await file.writeFile(content);
        // `open` applies the umask to the mode, so it is set again.
        if (kept !== undefined) await file.chmod(kept);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(beside, target);
    } catch (error) {
      await rm(beside, { force: true });
      throw error;
    }
  });
}

export async function removeInside(path: string, root: string): Promise<void> {
  await inFolder(path, root, (at) => rm(join(at, basename(path)), { force: true }));
}

/**
 * Runs `act` with the parent folder of a path. Opens each folder on the way from the root and looks up the next folder
 * in the open one, so links are never followed, whenever they were created. Creates missing folders.
 */
async function inFolder(path: string, root: string, act: (folder: string) => Promise<void>): Promise<void> {
  if (!isInside(dirname(path), root))
    throw new UnsafeFileError(`${path} does not lie in ${root}. Nothing was written.`);
  const steps = relative(root, dirname(path)).split(sep).filter(Boolean);
  let current = await openFolder(root);
  try {
    for (const step of steps) {
      const next = await openFolder(join(current.at, step));
      await current.handle.close();
      current = next;
    }
    await act(current.at);
  } finally {
    await current.handle.close();
  }
}

interface OpenFolder {
  readonly handle: FileHandle;
  /** A path to the open folder itself, on Linux. Other systems use the folder's path, which leaves a short race. */
  readonly at: string;
}

async function openFolder(path: string): Promise<OpenFolder> {
  const flags = O_RDONLY | O_NOFOLLOW | O_DIRECTORY;
  const handle = await open(path, flags).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") {
      await mkdir(path).catch((problem: NodeJS.ErrnoException) => {
        if (problem.code !== "EEXIST") throw problem;
      });
      return open(path, flags);
    }
    if (error.code === "ELOOP" || error.code === "ENOTDIR")
      throw new UnsafeFileError(`${path} is no folder, or a link. Nothing was written.`);
    throw error;
  });
  return { handle, at: process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : path };
}

/**
 * Rejects unless the real path of an open file is below `root`. Linux reports the real path; other systems resolve the
 * path again.
 */
async function assertInside(file: FileHandle, path: string, root: string): Promise<void> {
  const real = await realpath(process.platform === "linux" ? `/proc/self/fd/${file.fd}` : path);
  if (!isInside(real, root)) throw new UnsafeFileError(`${path} leads out of ${root}, to ${real}. Nothing was read.`);
}

/** The facts that show whether a file has changed. */
export interface FileFacts {
  readonly mtimeMs: number;
  readonly sizeBytes: number;
  readonly hash: string;
}

export interface LoadedFile {
  readonly bytes: Buffer;
  readonly facts: FileFacts;
}

/** The size limit of a file, which is read as a whole to compute its hash. */
export const MAX_BYTES: number = 256 * 1_048_576;

/** Reads a file with its facts and hash. Undefined if the file does not exist. */
export async function loadFile(
  path: string,
  root: string,
  maxBytes: number = MAX_BYTES,
): Promise<LoadedFile | undefined> {
  let file: FileHandle;
  try {
    file = await openInside(path, root);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const { mtimeMs, size } = await file.stat();
    if (size > maxBytes) {
      throw new UnsafeFileError(
        `${path} has ${size} bytes, more than the ${maxBytes} that can be read at once.${maxBytes < MAX_BYTES ? "" : " Search it with Grep."}`,
      );
    }
    const bytes = await file.readFile();
    return { bytes, facts: { mtimeMs, sizeBytes: bytes.length, hash: hashOf(bytes) } };
  } finally {
    await file.close();
  }
}

export function hashOf(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Flags that open a file for reading, unless the path is a link. */
export const OPEN_UNLINKED: number = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

/** Reads a file as text. Rejects if the path is a link. */
export async function readUnlinked(path: string): Promise<string> {
  const file = await open(path, OPEN_UNLINKED);
  try {
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}
