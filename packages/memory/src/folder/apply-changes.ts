import { type AuthoredChange, type ChangeSet, versionAfter, versionOf } from "../change-set.ts";
import type { AppliedChanges } from "../memory-files.ts";
import type { OwnFile } from "./files/own-file.ts";
import { type PendingSet, readPending, removePending, writePending } from "./files/pending.ts";
import { hasAside } from "./files/place-file.ts";
import {
  commitTransaction,
  type MemoryTransaction,
  noteFile,
  noteGone,
  place,
  readFile,
  writeIndex,
} from "./memory-transaction.ts";

/**
 * Writes all files of a set, or none. The set is recorded first: if the process ends midway, the next writer finishes it
 * (`finishInterrupted`).
 */
export async function applyChanges(transaction: MemoryTransaction, set: ChangeSet): Promise<AppliedChanges> {
  const pending = await writePending(transaction.folders, set);
  const placed: { change: AuthoredChange; before: OwnFile | undefined }[] = [];
  for (const change of set.changes) {
    const before = readFile(transaction, change.path);
    if ((await place(transaction, change)) === "stale") {
      for (const done of placed.toReversed()) await takeBack(transaction, done.change, done.before);
      removePending(transaction.folders, pending.id);
      return { kind: "stale", path: change.path, version: readFile(transaction, change.path)?.version ?? "none" };
    }
    placed.push({ change, before });
  }
  for (const change of set.changes) noteChange(transaction, change);
  return { kind: "done", commit: await conclude(transaction, pending) };
}

/** Finishes the recorded changes of a process that died. A file that was edited by hand meanwhile stays unchanged. */
export async function finishInterrupted(transaction: MemoryTransaction): Promise<void> {
  for (const pending of readPending(transaction.folders)) {
    // The set was complete, and only its record was left behind.
    if (transaction.index.noted("set") === pending.id) {
      transaction.settled.push(pending.id);
      continue;
    }
    for (const change of pending.changes) {
      const now = readFile(transaction, change.path)?.version ?? "none";
      const wanted = versionAfter(change);
      // The process may have died just after it moved the old file aside.
      const isBetween = now === "none" && hasAside(transaction.folders, change.path, change.before);
      if (now !== wanted && (now === change.before || isBetween)) {
        await place(transaction, { ...change, before: now });
      }
      if ((readFile(transaction, change.path)?.version ?? "none") === wanted) noteChange(transaction, change);
    }
    await conclude(transaction, pending);
  }
}

async function conclude(transaction: MemoryTransaction, { id, by, message }: PendingSet): Promise<string> {
  await writeIndex(transaction);
  const commit = await commitTransaction(transaction, by, message);
  transaction.index.note("set", id);
  transaction.settled.push(id);
  return commit;
}

/** History gets the written text, even if a hand edit followed: that edit is found later. */
function noteChange(transaction: MemoryTransaction, change: AuthoredChange): void {
  const { path, author, after } = change;
  if (after === undefined) {
    noteGone(transaction, path, author);
    return;
  }
  const now = readFile(transaction, path);
  const version = versionOf(after);
  const state =
    now?.version === version ? now.state : { text: "edited", changedAtMs: 0, modifiedAtMs: transaction.nowMs };
  noteFile(transaction, path, { bytes: Buffer.from(after), version, state }, { author, written: "by-us" });
}

async function takeBack(
  transaction: MemoryTransaction,
  change: AuthoredChange,
  before: OwnFile | undefined,
): Promise<void> {
  // A stale version means that someone has just edited the file by hand, so it stays.
  await place(transaction, { path: change.path, before: versionAfter(change), after: before?.bytes });
}
