// Keeps results in plain files that are named by their content.

import { createHash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { chmod, type FileHandle, lstat, mkdir, open, opendir, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { PathError } from "../errors.ts";
import { aText, checkOptions } from "../schema/check-options.ts";
import { fromSafeName, toSafeName } from "./sqlite/files.ts";
import type { ResultContent, ResultDraft, ResultFiles, ResultsSize } from "./store.ts";

/** Options of `resultFiles`. */
export interface ResultFilesOptions {
  /** The base folder. Results are kept in `tool-results/<session>/` within it, which is created with access for this user only. */
  readonly folder: string;
}

/** Keeps results in plain files that are named by their content. The model can read them with its ordinary tools. */
export function resultFiles(options: ResultFilesOptions): ResultFiles {
  checkOptions("resultFiles", options, { folder: aText("the path of a folder for the results") });
  const { folder } = options;
  const root = join(resolve(folder), "tool-results");
  const folderOf = (session: string): string => join(root, toSafeName(session));
  return {
    async create(session) {
      const at = folderOf(session);
      await makePrivateFolder(at);
      for (const path of [root, at]) if (!(await isOwnFolder(path))) throw new UnsafeFolderError(path);
      return createDraft(at);
    },
    async find(session, file) {
      const at = folderOf(session);
      if (!FILE_NAME.test(file) || !(await areOwnFolders(root, at))) return undefined;
      return findFile(join(at, file));
    },
    locate: (session, file) => (FILE_NAME.test(file) ? join(folderOf(session), file) : undefined),
    async *sessions() {
      if (!(await isOwnFolder(root))) return;
      // Skips links, because a link could lead outside of this folder.
      for await (const entry of await opendir(root)) {
        const session = entry.isDirectory() ? fromSafeName(entry.name) : undefined;
        if (session !== undefined) yield session;
      }
    },
    async measure(session) {
      const at = folderOf(session);
      return (await areOwnFolders(root, at)) ? measureFolder(at) : undefined;
    },
    async remove(session, file) {
      const at = folderOf(session);
      if (!(await areOwnFolders(root, at))) return;
      if (file === undefined) return rm(at, { recursive: true, force: true });
      if (!FILE_NAME.test(file)) return;
      await rm(join(at, file), { force: true });
      await syncFolder(at);
    },
  };
}

/** A digest and an extension. So a name from a log can never be a path. */
const FILE_NAME = /^[0-9a-f]{64}\.(?:txt|json)$/;

/** The folder for results is a link, or belongs to another user. Nothing was written to it. */
class UnsafeFolderError extends PathError {
  static readonly code = "unsafe-folder";
  readonly code: string = UnsafeFolderError.code;

  constructor(path: string) {
    super(
      path,
      `${path} is a link or belongs to another user, so no result was written to it. Remove it, or choose another folder.`,
    );
  }
}

// Windows lacks the last two flags. O_NONBLOCK: opening a named pipe must not wait for its writer.
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** Creates missing folders with access for this user only. Existing folders keep their mode. */
async function makePrivateFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) === "EEXIST") return;
    if (codeOf(error) !== "ENOENT") throw error;
    await makePrivateFolder(dirname(path));
    return makePrivateFolder(path);
  }
  // The umask reduces the mode of mkdir.
  await chmod(path, 0o700);
}

async function createDraft(at: string): Promise<ResultDraft> {
  const unnamed = join(at, `.new-${randomUUID()}`);
  const file = await open(unnamed, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  const hash = createHash("sha256");
  const discard = async (): Promise<void> => {
    await file.close().catch(() => {});
    // If this process dies first, the file is left behind and collected with the session's results.
    await rm(unnamed, { force: true });
  };
  try {
    // The umask reduces the mode of open.
    await file.chmod(0o600);
  } catch (error) {
    await discard();
    throw error;
  }
  return {
    async write(bytes) {
      // The disk and the hash work in parallel.
      const written = writeAll(file, bytes);
      hash.update(bytes);
      await written;
    },
    async keep(ending) {
      const digest = hash.digest("hex");
      const name = `${digest}.${ending}`;
      await file.sync();
      await file.close();
      // Replaces an existing file with the same name, which has the same content, and so renews its age. A link itself is replaced.
      await rename(unnamed, join(at, name));
      await syncFolder(at);
      return { file: name, digest };
    },
    discard,
  };
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  // A write to a nearly full disk may write only a part, without an error.
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
}

/** Syncs a folder, because the name of a new file is durable only after that. Windows has no such call and needs none. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const file = await open(folder, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function findFile(path: string): Promise<ResultContent | undefined> {
  const file = await openOwnFile(path);
  if (file === undefined) return undefined;
  const { size } = await file.stat();
  await file.close();
  return { bytes: size, chunks: () => readFile(path) };
}

async function* readFile(path: string): AsyncGenerator<Uint8Array> {
  const file = await openOwnFile(path);
  if (file === undefined) return;
  try {
    for (;;) {
      // A new buffer each time, because the reader may keep it.
      const { bytesRead, buffer } = await file.read(new Uint8Array(CHUNK_BYTES), 0, CHUNK_BYTES);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

const CHUNK_BYTES = 262_144;

/** Opens a plain file with one name. Links and other kinds of files count as missing. */
async function openOwnFile(path: string): Promise<FileHandle | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stat = await file.stat();
    if (stat.isFile() && stat.nlink === 1) return file;
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  await file?.close();
  return undefined;
}

/** Measures a folder, including incomplete files of a process that died, so that these are collected, too. */
async function measureFolder(folder: string): Promise<ResultsSize | undefined> {
  let size: ResultsSize | undefined;
  for await (const { name } of await opendir(folder)) {
    const stat = await lstat(join(folder, name)).catch(() => undefined);
    // The draft was kept or discarded in the meantime.
    if (stat === undefined) continue;
    size = { bytes: (size?.bytes ?? 0) + stat.size, newestAtMs: Math.max(size?.newestAtMs ?? 0, stat.mtimeMs) };
  }
  return size;
}

async function areOwnFolders(...paths: readonly string[]): Promise<boolean> {
  for (const path of paths) if (!(await isOwnFolder(path))) return false;
  return true;
}

async function isOwnFolder(path: string): Promise<boolean> {
  try {
    const stat = await lstat(path);
    return stat.isDirectory() && (process.getuid === undefined || stat.uid === process.getuid());
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

/** Whether the error means that the file is missing, or is a link, which is not followed. */
function isAbsent(error: unknown): boolean {
  return ["ENOENT", "ELOOP", "ENOTDIR", "EMLINK", "ENXIO"].includes(codeOf(error) ?? "");
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
