import { appendFile, chmod, open, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { hashOf, loadFile, removeInside, writeInside } from "../../workspace/open-inside.ts";
import type { PathGuard } from "../../workspace/path-guard.ts";
import { makePrivateFolder, writePrivateFile } from "../../workspace/private-files.ts";

interface ChangeToKeep {
  readonly path: string;
  /** The session's newest entry. */
  readonly entry: number;
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
}

export type KeepBefore = (change: ChangeToKeep) => Promise<void>;

/** The files that a rewind restored or removed, and those that it left because others had changed them. */
export interface RewoundFiles extends Pick<RewindPlan, "changedByOthers"> {
  readonly restored: readonly string[];
  readonly removed: readonly string[];
}

/** Keeps files before they are changed, and restores them. */
export interface Checkpoints {
  /** Saves a file. Call it before a change. */
  readonly keepBefore: KeepBefore;
  /** Undoes the changes that tools made after an entry. Changes by shell commands are not recorded. */
  rewindFiles(toEntry: number, newestEntry: number): Promise<RewoundFiles>;
}

interface CheckpointOptions {
  /** The folder of the session, in the user's home. */
  readonly sessionFolder: string;
  readonly guard: PathGuard;
}

/**
 * Stores the contents of files before tools change them: contents named by their hash, and a list of changes. Each line of the
 * list is written before its change, so a crash between the two leaves an unchanged file, and nothing to undo.
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
    // A line that a crash has cut off stays on its own line.
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
    // The file has become a link to another place, so something else has changed it. This value equals no hash.
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
        // A rewind is a change too: it is recorded, so that it can be undone.
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

/** Reads a line of the list; undefined if it is not valid. The hash is checked, since it becomes a file name. */
function toLine(text: string): FileChangeLine[] {
  try {
    const { entry, path, before, after }: FileChangeLine = JSON.parse(text);
    const hashes = [before, after].every((hash) => hash === null || HASH.test(hash));
    return Number.isSafeInteger(entry) && typeof path === "string" && hashes ? [{ entry, path, before, after }] : [];
  } catch {
    return [];
  }
}

/** One change of a file, recorded before it was made. Contents are named by their hash; null means no file. */
interface FileChangeLine {
  /** The session's newest entry at the time of the change. */
  readonly entry: number;
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

interface RewindStep {
  readonly path: string;
  /** The hash of the content to restore; null: remove the file. */
  readonly to: string | null;
  readonly from: string | null;
}

interface RewindPlan {
  readonly steps: readonly RewindStep[];
  /** Files that something else has changed since. They are left unchanged. */
  readonly changedByOthers: readonly string[];
}

/** The first change of a path after the entry has the content to restore; the last has the content expected now. */
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

/** Plans how to restore the files. `now` has the current contents, by hash. */
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
