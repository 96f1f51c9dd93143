import { type FileChange, versionOf } from "../change-set.ts";
import { toFileRow, toGoneRow } from "../file-row.ts";
import type { MemoryLimits } from "../limits.ts";
import { folderOf, INDEX_PATH, readPath } from "../paths.ts";
import type { Author } from "../topic.ts";
import { wantedIndex } from "../wanted-index.ts";
import type { OpenFolders } from "./files/open-folders.ts";
import { type OwnFile, readOwnFile, seeOwnFile } from "./files/own-file.ts";
import { placeFile } from "./files/place-file.ts";
import { type Commit, commitFiles } from "./history/commit-files.ts";
import type { Git } from "./history/git.ts";
import type { IndexDatabase, SeenRow } from "./index-database.ts";

/** The state of one writer while it holds the lock: no other process of ours writes meanwhile, but the user may edit by hand. */
export interface MemoryTransaction {
  readonly folders: OpenFolders;
  readonly index: IndexDatabase;
  readonly git: Git;
  readonly gitFolder: string;
  readonly limits: MemoryLimits;
  readonly nowMs: number;
  /** What is known of each file. */
  readonly rows: Map<string, SeenRow>;
  /** Contents that the next commit adds to history, and whose the files are that it changes. */
  readonly contents: Uint8Array[];
  readonly authors: Map<string, Author>;
  /** Folders with changed names that are not synced yet. */
  readonly unsynced: Set<string>;
  /** Sets of changes to mark as complete at the end of the transaction. */
  readonly settled: string[];
}

/** The index changed so often that someone must be writing it in a loop. */
const MAX_TRIES = 20;

function setRow(transaction: MemoryTransaction, row: SeenRow): void {
  transaction.rows.set(row.path, row);
  transaction.index.put(row);
}

/** Records a file as it is on the disk. */
export function noteFile(
  transaction: MemoryTransaction,
  path: string,
  file: OwnFile,
  { author, written }: { author: Author; written: "by-us" | "by-hand" },
): void {
  const { bytes, state } = file;
  const row = toFileRow(path, bytes, { author, written, modifiedAtMs: state.modifiedAtMs });
  setRow(transaction, { ...row, state: state.text, seenAtMs: Date.now() });
  transaction.contents.push(bytes);
  transaction.authors.set(path, author);
}

/** Records that a file was read and is unchanged. */
export function refreshRow(transaction: MemoryTransaction, path: string, { state }: OwnFile): void {
  setRow(transaction, { ...transaction.rows.get(path)!, state: state.text, seenAtMs: Date.now() });
}

export function noteGone(transaction: MemoryTransaction, path: string, author: Author): void {
  const row = transaction.rows.get(path);
  if (row !== undefined) setRow(transaction, { ...toGoneRow(row, author), state: "" });
  transaction.authors.set(path, author);
}

/** @see placeFile */
export function place(transaction: MemoryTransaction, change: FileChange): Promise<"placed" | "stale"> {
  transaction.unsynced.add(folderOf(readPath(change.path)?.place ?? "topic"));
  return placeFile(transaction.folders, change);
}

export function readFile({ folders }: Pick<MemoryTransaction, "folders">, path: string): OwnFile | undefined {
  const found = readOwnFile(folders.locate(path));
  return typeof found === "object" && "bytes" in found ? found : undefined;
}

/** Whether that name belongs to something that is not our file, and is left alone. */
export function isUnsafe(transaction: MemoryTransaction, path: string): boolean {
  const seen = seeOwnFile(transaction.folders.locate(path));
  return typeof seen === "object" && "unsafe" in seen;
}

/** Updates the index from the topics. A concurrent edit is not overwritten: the index is computed again. */
export async function writeIndex(transaction: MemoryTransaction): Promise<void> {
  if (isUnsafe(transaction, INDEX_PATH)) return;
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const file = readFile(transaction, INDEX_PATH);
    const now = file?.bytes.toString() ?? "";
    const wanted = wantedIndex(transaction.rows, now, transaction.limits);
    if (wanted === now) {
      if (file !== undefined && transaction.rows.get(INDEX_PATH)?.version !== file.version) {
        noteFile(transaction, INDEX_PATH, file, { author: "user", written: "by-hand" });
      }
      return;
    }
    const after = Buffer.from(wanted);
    const change = { path: INDEX_PATH, before: file?.version ?? "none", after };
    if ((await place(transaction, change)) === "stale") continue;
    const placed = readFile(transaction, INDEX_PATH);
    if (placed?.version !== versionOf(after)) continue;
    noteFile(transaction, INDEX_PATH, placed, { author: "user", written: "by-us" });
    return;
  }
}

/** Commits the current state. The files themselves are on the disk before. */
export async function commitTransaction(transaction: MemoryTransaction, by: Author, message: string): Promise<string> {
  for (const folder of transaction.unsynced) transaction.folders.sync(folder);
  transaction.unsynced.clear();
  const present = [...transaction.rows.values()].flatMap(({ path, blob }) =>
    blob === undefined ? [] : [[path, blob] as const],
  );
  const commit: Commit = {
    by,
    message,
    atMs: transaction.nowMs,
    files: new Map(present),
    contents: transaction.contents.splice(0),
    // The index is nobody's.
    authors: new Map([...transaction.authors].filter(([path]) => path !== INDEX_PATH)),
  };
  transaction.authors.clear();
  const [head, tree] = [transaction.index.noted("head"), transaction.index.noted("tree")];
  const known = head === undefined || tree === undefined ? undefined : { commit: head, tree };
  const made = await commitFiles(transaction.gitFolder, commit, known);
  transaction.index.note("head", made.commit);
  transaction.index.note("tree", made.tree);
  return made.commit;
}
