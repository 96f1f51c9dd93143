import { toFileRow, toGoneRow, toSummaries } from "./file-row.ts";
import type { HeldFolders } from "./files/held-folders.ts";
import { type OwnFile, readOwnFile, seeOwnFile, versionOf } from "./files/own-file.ts";
import { type FileChange, placeFile } from "./files/place-file.ts";
import { type Commit, commitFiles } from "./history/commit-files.ts";
import type { Git } from "./history/git.ts";
import type { FileRow, IndexDatabase } from "./index-database.ts";
import { updateIndex } from "./index-text.ts";
import type { MemoryLimits } from "./limits.ts";
import { folderOf, INDEX_PATH, readPath } from "./paths.ts";
import type { Author } from "./topic.ts";

/** What one writer works on while he has the lock: nobody else of us writes meanwhile, but anyone may edit by hand. */
export interface Desk {
  readonly folders: HeldFolders;
  readonly index: IndexDatabase;
  readonly git: Git;
  readonly gitFolder: string;
  readonly limits: MemoryLimits;
  readonly nowMs: number;
  /** What is known of each file. */
  readonly rows: Map<string, FileRow>;
  /** Slugs of topics that have changed. */
  readonly changedTopics: Set<string>;
  /** Contents that history is to take in with the next commit. */
  readonly contents: Uint8Array[];
  /** Folders in which names came or went, and are not on the disk yet. */
  readonly unsynced: Set<string>;
  /** Sets of changes whose end is to be noted when the transaction is through. */
  readonly settled: string[];
}

/** The index moved under our hands so often that someone must be writing it in a loop. */
const MOST_TRIES = 20;

function setRow(desk: Desk, row: FileRow): void {
  desk.rows.set(row.path, row);
  desk.index.put(row);
  const at = readPath(row.path);
  if (at?.place === "topic") desk.changedTopics.add(at.slug);
}

/** Notes a file as it is on the disk. */
export function noteFile(
  desk: Desk,
  path: string,
  file: OwnFile,
  { author, written }: { author: Author; written: "by-us" | "by-hand" },
): void {
  setRow(desk, toFileRow(path, file, { author, written, seenAtMs: Date.now() }));
  desk.contents.push(file.bytes);
}

/** Notes that a file was read and is what it was. */
export function refreshRow(desk: Desk, path: string, { state }: OwnFile): void {
  const row = { ...desk.rows.get(path)!, state: state.text, seenAtMs: Date.now() };
  desk.rows.set(path, row);
  desk.index.put(row);
}

export function noteGone(desk: Desk, path: string, author: Author): void {
  const row = desk.rows.get(path);
  if (row !== undefined) setRow(desk, toGoneRow(row, author));
}

/** @see placeFile */
export function place(desk: Desk, change: FileChange): Promise<"placed" | "stale"> {
  desk.unsynced.add(folderOf(readPath(change.path)?.place ?? "topic"));
  return placeFile(desk.folders, change);
}

export function readFile(desk: Desk, path: string): OwnFile | undefined {
  const found = readOwnFile(desk.folders.locate(path));
  return typeof found === "object" && "bytes" in found ? found : undefined;
}

/** Whether there is something under that name that is no file of ours, and is left alone. */
export function isUnsafe(desk: Desk, path: string): boolean {
  const seen = seeOwnFile(desk.folders.locate(path));
  return typeof seen === "object" && "unsafe" in seen;
}

/** The index as it has to be, over what stands there. */
export function wantedIndex(rows: ReadonlyMap<string, FileRow>, text: string, limits: MemoryLimits): string {
  const gone = [...rows.values()].flatMap(({ path, version }) => {
    const at = readPath(path);
    return at?.place === "topic" && version === undefined ? [at.slug] : [];
  });
  return updateIndex(text, toSummaries(rows.values()), new Set(gone), limits);
}

/** Brings the index in step with the topics. Whoever edits it at the same time is not overwritten: it is made again. */
export async function writeIndex(desk: Desk): Promise<void> {
  if (isUnsafe(desk, INDEX_PATH)) return;
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    const file = readFile(desk, INDEX_PATH);
    const now = file?.bytes.toString() ?? "";
    const wanted = wantedIndex(desk.rows, now, desk.limits);
    if (wanted === now) {
      if (file !== undefined && desk.rows.get(INDEX_PATH)?.version !== file.version) {
        noteFile(desk, INDEX_PATH, file, { author: "user", written: "by-hand" });
      }
      return;
    }
    const after = Buffer.from(wanted);
    const change = { path: INDEX_PATH, before: file?.version ?? "none", after };
    if ((await place(desk, change)) === "stale") continue;
    const placed = readFile(desk, INDEX_PATH);
    if (placed?.version !== versionOf(after)) continue;
    noteFile(desk, INDEX_PATH, placed, { author: "user", written: "by-us" });
    return;
  }
}

/** A commit of all that is known now. The files themselves are on the disk before it. */
export async function commitDesk(desk: Desk, by: Author, message: string): Promise<string> {
  for (const folder of desk.unsynced) desk.folders.sync(folder);
  desk.unsynced.clear();
  const present = [...desk.rows.values()].flatMap(({ path, blob }) =>
    blob === undefined ? [] : [[path, blob] as const],
  );
  const commit: Commit = { by, message, atMs: desk.nowMs, files: new Map(present), contents: desk.contents.splice(0) };
  const [head, tree] = [desk.index.noted("head"), desk.index.noted("tree")];
  const known = head === undefined || tree === undefined ? undefined : { commit: head, tree };
  const made = await commitFiles(desk.gitFolder, commit, known);
  desk.index.note("head", made.commit);
  desk.index.note("tree", made.tree);
  return made.commit;
}
