import { blobId } from "../history/git-object.ts";
import type { MemoryProblem } from "../memory-files.ts";
import { INDEX_PATH, pathOf, readPath } from "../paths.ts";
import { forgottenText } from "../proposal-text.ts";
import { freeSlug } from "../slug.ts";
import type { Author } from "../topic.ts";
import { readTopicText } from "../topic-text.ts";
import { finishInterrupted } from "./apply-changes.ts";
import type { OwnFile } from "./files/own-file.ts";
import { findLateEdits, removePrepared } from "./files/place-file.ts";
import { scanFiles } from "./files/scan-files.ts";
import { findDifferences } from "./find-differences.ts";
import { BRANCH } from "./history/commit-files.ts";
import { readLooseObject, readReference } from "./history/loose-objects.ts";
import { readBlobs, readNewest } from "./history/read-history.ts";
import {
  commitTransaction,
  type MemoryTransaction,
  noteFile,
  noteGone,
  place,
  readFile,
  refreshRow,
  writeIndex,
} from "./memory-transaction.ts";

/**
 * The first step of every writer: finishes interrupted changes of others, and imports hand edits. Afterwards rows, index and
 * history match the files. Files with an unchanged stat are not read.
 */
export async function reconcileFiles(transaction: MemoryTransaction): Promise<readonly MemoryProblem[]> {
  removePrepared(transaction.folders);
  await finishInterrupted(transaction);
  const edited = new Set(await takeInLateEdits(transaction));
  const { files, problems } = scanFiles(transaction.folders);
  const { toRead, gone } = findDifferences(files, transaction.rows);
  const origin = toRead.length === 0 ? byHand : await createOrigin(transaction);
  let found = 0;
  for (const path of toRead) {
    const file = readFile(transaction, path);
    if (file === undefined) continue;
    if (file.version === transaction.rows.get(path)?.version) {
      refreshRow(transaction, path, file);
      continue;
    }
    const { author, written } = origin(path, file);
    noteFile(transaction, path, file, { author, written });
    if (written === "by-hand") edited.add(path);
    else found++;
  }
  for (const path of gone) {
    await keepForgotten(transaction, path);
    noteGone(transaction, path, "user");
    edited.add(path);
  }
  if (edited.size + found === 0) return problems;
  // As it was edited, before it is made to say what the topics say.
  if (edited.has(INDEX_PATH)) await commitTransaction(transaction, "user", editMessage(edited));
  await writeIndex(transaction);
  await commitTransaction(transaction, "user", edited.size > 0 ? editMessage(edited) : `taken over: ${found} files`);
  return problems;
}

interface Origin {
  readonly author: Author;
  readonly written: "by-us" | "by-hand";
}

const byHand = (): Origin => ({ author: "user", written: "by-hand" });

/**
 * The origin of a changed file: by hand, as a rule. If history is newer than the rows (they were lost), history tells; without
 * history, the file itself does.
 */
async function createOrigin(transaction: MemoryTransaction): Promise<(path: string, file: OwnFile) => Origin> {
  const head = readReference(transaction.gitFolder, BRANCH);
  if (head !== undefined && head === transaction.index.noted("head")) return byHand;
  const newest = head === undefined ? undefined : await readNewest(transaction.git);
  if (newest !== undefined && !("kind" in newest)) {
    return (path, { bytes }) => {
      const known = newest.get(path);
      return known?.blob === blobId(bytes) ? { author: known.by, written: "by-us" } : byHand();
    };
  }
  if (transaction.rows.size > 0 && head === undefined) return byHand;
  return (path, { bytes }) => ({
    author: readTopicText(bytes.toString(), readPath(path)?.slug ?? "").author ?? "user",
    written: "by-us",
  });
}

/** An editor had a file open while we replaced it, and has saved it. The saved text wins, as the newest. */
async function takeInLateEdits(transaction: MemoryTransaction): Promise<string[]> {
  const late = findLateEdits(transaction.folders, Date.now());
  for (const { path, file } of late) {
    const version = readFile(transaction, path)?.version ?? "none";
    const isOurs = version === (transaction.rows.get(path)?.version ?? "none");
    const change = { path, before: version, after: file.bytes };
    const placed = isOurs ? await place(transaction, change) : "stale";
    noteFile(transaction, path, (placed === "placed" && readFile(transaction, path)) || file, byHand());
    // Another hand edit there is the newer one; history has both.
    if (placed === "stale") await commitTransaction(transaction, "user", editMessage([path]));
  }
  return late.map(({ path }) => path);
}

/** A topic that was removed by hand is recorded as forgotten, so that it is not learned again. */
async function keepForgotten(transaction: MemoryTransaction, path: string): Promise<void> {
  const row = transaction.rows.get(path);
  const at = readPath(path);
  if (at?.place !== "topic" || row?.blob === undefined) return;
  const isElsewhere = [...transaction.rows.values()].some((other) => other.path !== path && other.blob === row.blob);
  const content = isElsewhere ? undefined : await readContent(transaction, row.blob);
  if (content === undefined) return;
  const facts = { topic: at.slug, by: "user", because: "removed by hand", nowMs: transaction.nowMs } as const;
  const isTaken = (slug: string): boolean => readFile(transaction, pathOf("forgotten", slug)) !== undefined;
  const kept = pathOf("forgotten", freeSlug(at.slug, isTaken));
  const after = Buffer.from(forgottenText(content.toString(), facts));
  if ((await place(transaction, { path: kept, before: "none", after })) === "stale") return;
  const file = readFile(transaction, kept);
  if (file !== undefined) noteFile(transaction, kept, file, { author: "user", written: "by-us" });
}

async function readContent(transaction: MemoryTransaction, blob: string): Promise<Buffer | undefined> {
  const loose = readLooseObject(transaction.gitFolder, blob);
  if (loose !== undefined) return loose;
  const found = await readBlobs(transaction.git, [blob]);
  return "kind" in found ? undefined : found.get(blob);
}

function editMessage(paths: Iterable<string>): string {
  const all = [...paths].sort();
  const more = all.length > 5 ? ` and ${all.length - 5} more` : "";
  return `edited by hand: ${all.slice(0, 5).join(", ")}${more}`;
}
