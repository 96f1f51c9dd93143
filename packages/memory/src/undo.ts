import { applyChanges } from "./apply-changes.ts";
import { checkIndex } from "./check-index.ts";
import type { AuthoredChange } from "./files/pending.ts";
import { type BlobChange, type NoHistory, readBlobs, readCommit, readNewest } from "./history/read-history.ts";
import type { MemoryTransaction } from "./memory-transaction.ts";
import type { Refused } from "./outcomes.ts";
import { INDEX_PATH } from "./paths.ts";
import { viewOf } from "./transaction-view.ts";

export type UndoOutcome =
  | {
      readonly kind: "undone";
      /** The commit that reverts the other. */
      readonly commit: string;
      /** Paths that are restored to the byte. */
      readonly restored: readonly string[];
      /** Paths that were changed since, and stay unchanged. */
      readonly stale: readonly string[];
    }
  /** All files of that commit were changed since. Nothing was done. */
  | { readonly kind: "stale"; readonly stale: readonly string[] }
  | { readonly kind: "unknown-commit" }
  | NoHistory
  | Refused;

/** Reverts one commit by another: files return to their earlier state, unless they were changed later. */
export async function undoCommit(transaction: MemoryTransaction, name: string): Promise<UndoOutcome> {
  const found = await readCommit(transaction.git, name);
  if (found === undefined) return { kind: "unknown-commit" };
  if ("kind" in found) return found;
  const files = found.changes.filter(({ path }) => path !== INDEX_PATH);
  const isAsLeft = ({ path, after }: BlobChange): boolean => transaction.rows.get(path)?.blob === after;
  const stale = files.filter((file) => !isAsLeft(file)).map(({ path }) => path);
  const toRestore = files.filter(isAsLeft);
  // If a commit edited only the index, the index is reverted.
  const ofIndex = found.changes.filter((change) => change.path === INDEX_PATH && isAsLeft(change));
  if (toRestore.length === 0 && (files.length > 0 || ofIndex.length === 0)) return { kind: "stale", stale };
  const wanted = stale.length === 0 ? [...toRestore, ...ofIndex] : toRestore;
  const restored = await restoreChanges(transaction, found.commit, wanted);
  if ("kind" in restored) return restored;
  const full = checkIndex(viewOf(transaction), restored);
  if (full !== undefined) return full;
  const message = `undo ${found.commit.slice(0, 10)}: ${found.message}`;
  const done = await applyChanges(transaction, { by: "user", message, changes: restored });
  if (done.kind === "stale") return { kind: "stale", stale: [...stale, done.path] };
  return { kind: "undone", commit: done.commit, restored: wanted.map(({ path }) => path), stale };
}

async function restoreChanges(
  transaction: MemoryTransaction,
  commit: string,
  changes: readonly BlobChange[],
): Promise<readonly AuthoredChange[] | NoHistory> {
  const contents = await readBlobs(
    transaction.git,
    changes.flatMap(({ before }) => before ?? []),
  );
  if ("kind" in contents) return contents;
  const isRoot = changes.every(({ before }) => before === undefined);
  const authors = isRoot ? new Map() : await readNewest(transaction.git, `${commit}^`);
  if ("kind" in authors) return authors;
  return changes.map(({ path, before }) => ({
    path,
    before: transaction.rows.get(path)?.version ?? "none",
    after: before === undefined ? undefined : contents.get(before),
    author: authors.get(path)?.by ?? "user",
  }));
}
