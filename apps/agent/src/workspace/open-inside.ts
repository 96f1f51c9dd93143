import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { isInside } from "./path-guard.ts";

/** What lies where it may not, or is no plain file. */
export class UnsafeFileError extends Error {}

// Windows has no such flags. NONBLOCK: opening a named pipe must not wait for its writer.
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_DIRECTORY = 0 } = constants;

/**
 * Opens a plain file for reading that lies below `root`, both with links followed. A link that was put there after the path
 * was looked at is not followed, and a folder on the way that was exchanged for one is found out by what was opened.
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

export interface WriteInsideOptions {
  readonly path: string;
  readonly root: string;
  readonly content: string | Uint8Array;
  /** @default that of the file which stands there; of a new one, what the umask leaves of 0666 */
  readonly mode?: number;
}

/**
 * Writes a file below `root` as a whole or not at all: beside its place, then by renaming. Exchanging a folder on the way for
 * a link leads nowhere (see `inFolder`).
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
        // The mode of open is cut by the umask.
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
 * Runs with the folder of a path. It is reached from the root step by step, each held open while the next is looked up in it,
 * and missing ones are made on the way: so no link is followed, whenever it was put there.
 */
async function inFolder(path: string, root: string, act: (folder: string) => Promise<void>): Promise<void> {
  if (!isInside(dirname(path), root))
    throw new UnsafeFileError(`${path} does not lie in ${root}. Nothing was written.`);
  const steps = relative(root, dirname(path)).split(sep).filter(Boolean);
  let held = await openFolder(root);
  try {
    for (const step of steps) {
      const next = await openFolder(join(held.at, step));
      await held.handle.close();
      held = next;
    }
    await act(held.at);
  } finally {
    await held.handle.close();
  }
}

interface OpenFolder {
  readonly handle: FileHandle;
  /** Names the held folder itself where the system can (Linux); elsewhere its path, which leaves a moment in between. */
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

/** Linux tells where an open file lies. Elsewhere its path is looked at once more. */
async function assertInside(file: FileHandle, path: string, root: string): Promise<void> {
  const real = await realpath(process.platform === "linux" ? `/proc/self/fd/${file.fd}` : path);
  if (!isInside(real, root)) throw new UnsafeFileError(`${path} leads out of ${root}, to ${real}. Nothing was read.`);
}
