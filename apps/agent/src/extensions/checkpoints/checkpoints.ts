// Saves each file before Edit and Write change it, and restores the files on a rewind. There is no snapshot at a point in time: the
// saved states carry the number of the newest entry. Changes by shell commands are not recorded.
import { appendFile, chmod, open, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { hashOf, loadFile, removeInside, writeInside } from "../../workspace/open-inside.ts";
import type { PathGuard } from "../../workspace/path-guard.ts";
import { makePrivateFolder, writePrivateFile } from "../../workspace/private-files.ts";

interface ChangeToKeep {
  readonly path: string;
  /** The newest entry of the session when the tool ran. */
  readonly entry: number;
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
}

export type KeepBefore = (change: ChangeToKeep) => Promise<void>;

/** The files that a rewind restored or removed, and files that it kept because other programs changed them. */
export interface RewoundFiles extends Pick<RewindPlan, "changedByOthers"> {
  readonly restored: readonly string[];
  readonly removed: readonly string[];
}

/** Saves files before changes, and restores them. */
export interface Checkpoints {
  /** Saves a file. Call this before each change. */
  readonly keepBefore: KeepBefore;
  /** Undoes changes that tools made after an entry. Changes by shell commands are not recorded. */
  rewindFiles(toEntry: number, newestEntry: number): Promise<RewoundFiles>;
}

interface CheckpointOptions {
  /** The folder of the session, in the user's home. */
  readonly sessionFolder: string;
  readonly guard: PathGuard;
}

/**
 * Saves the contents of files before tools change them. Stores contents by their hash, and a list of changes. Each list
 * line is written before its change, so a crash between the two leaves an unchanged file that needs no undo.
 */
export function createCheckpoints({ sessionFolder, guard }: CheckpointOptions): Checkpoints {
  const folder = join(sessionFolder, "file-history");
  const list = join(folder, "changes.jsonl");
  const contentPath = (hash: string) => join(folder, "contents", hash);

  async function keepContent(content: Uint8Array | undefined): Promise<string | null> {
    if (content === undefined) return null;
    const hash = hashOf(content);
    const kept = await stat(contentPath(hash)).then(
      ({ size }) => size === content.length,
      () => false,
    );
    if (!kept) await writePrivateFile(contentPath(hash), content);
    return hash;
  }

  async function addLine(line: FileChangeLine): Promise<void> {
    await makePrivateFolder(folder);
    // Starts a new line, so that a line torn by a crash does not corrupt it.
    await appendFile(list, `${(await isTorn(list)) ? "\n" : ""}${JSON.stringify(line)}\n`, {
      mode: 0o600,
      flush: true,
    });
    await chmod(list, 0o600);
  }

  async function readLines(): Promise<FileChangeLine[]> {
    const text = await readFile(list, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return "";
      throw error;
    });
    return text.split("\n").flatMap(toLine);
  }

  async function hashNow(path: string): Promise<string | null> {
    const located = await guard.locate(path);
    // The file has become a link to another place, so another program has changed it. This value equals no hash.
    if (located.kind !== "inside" || located.path !== path) return "elsewhere";
    return (await loadFile(path, located.root))?.facts.hash ?? null;
  }

  return {
    async keepBefore({ path, entry, before, after }) {
      await addLine({
        entry,
        path,
        before: await keepContent(before),
        after: after === undefined ? null : hashOf(after),
      });
    },
    async rewindFiles(toEntry, newestEntry) {
      const files = filesChangedAfter(await readLines(), toEntry);
      const now = new Map(await Promise.all(files.map(async ({ path }) => [path, await hashNow(path)] as const)));
      const { steps, changedByOthers } = planRewind(files, now);
      const restored: string[] = [];
      const removed: string[] = [];
      for (const { path, to, from } of steps) {
        const located = await guard.locate(path);
        if (located.kind !== "inside") continue;
        const current = await loadFile(path, located.root);
        await keepContent(current?.bytes);
        // A rewind is recorded too, so that it can be undone.
        await addLine({ entry: newestEntry, path, before: from, after: to });
        if (to === null) await removeInside(path, located.root);
        else await writeInside({ path, root: located.root, content: await readFile(contentPath(to)) });
        (to === null ? removed : restored).push(path);
      }
      return { restored, removed, changedByOthers };
    },
  };
}

/** Whether the list ends in the middle of a line. */
async function isTorn(path: string): Promise<boolean> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return false;
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
    return bytesRead === 1 && buffer[0] !== 0x0a;
  } finally {
    await file.close();
  }
}

const HASH = /^[0-9a-f]{64}$/;

/** Reads a line of the list. Undefined if the line is not valid. Checks the hash, because it becomes a file name. */
function toLine(text: string): FileChangeLine[] {
  try {
    const { entry, path, before, after }: FileChangeLine = JSON.parse(text);
    const hashes = [before, after].every((hash) => hash === null || HASH.test(hash));
    return Number.isSafeInteger(entry) && typeof path === "string" && hashes ? [{ entry, path, before, after }] : [];
  } catch {
    return [];
  }
}

/** A recorded change to one file. Contents are identified by their hash; null means that the file does not exist. */
interface FileChangeLine {
  /** The session's newest entry at the time of the change. */
  readonly entry: number;
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

interface RewindStep {
  readonly path: string;
  /** The hash of the content to restore. Null removes the file. */
  readonly to: string | null;
  readonly from: string | null;
}

interface RewindPlan {
  readonly steps: readonly RewindStep[];
  /** Files that another program has changed since. They stay unchanged. */
  readonly changedByOthers: readonly string[];
}

/**
 * A changed file. Its first change after the entry has the content to restore, and its last change has the content
 * expected now.
 */
interface ChangedFile {
  readonly path: string;
  readonly to: string | null;
  readonly expected: string | null;
}

/** The files that were changed after an entry. */
function filesChangedAfter(lines: readonly FileChangeLine[], entry: number): readonly ChangedFile[] {
  const files = new Map<string, ChangedFile>();
  for (const line of lines) {
    if (line.entry <= entry) continue;
    const to = files.has(line.path) ? files.get(line.path)!.to : line.before;
    files.set(line.path, { path: line.path, to, expected: line.after });
  }
  return [...files.values()];
}

/** Plans how to restore the files. @param now the current contents, by hash */
function planRewind(files: readonly ChangedFile[], now: ReadonlyMap<string, string | null>): RewindPlan {
  const steps: RewindStep[] = [];
  const changedByOthers: string[] = [];
  for (const { path, to, expected } of files) {
    const found = now.get(path) ?? null;
    if (found === to) continue;
    if (found === expected) steps.push({ path, to, from: found });
    else changedByOthers.push(path);
  }
  return { steps, changedByOthers };
}
