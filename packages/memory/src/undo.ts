import type { AuthoredChange } from "./change-set.ts";
import { checkIndex } from "./check-index.ts";
import type { MemoryView, NoHistory, PastChange, PastCommit, PlannedChanges } from "./memory-files.ts";
import type { Refused } from "./outcomes.ts";
import { INDEX_PATH } from "./paths.ts";

/** The topics that an undo restored, and those that changed since and stay. */
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

/** Plans to revert one commit by another: files return to their earlier state, unless they were changed later. Pure. */
export function planUndo(view: MemoryView, { commit, message, changes }: PastCommit): PlannedChanges<UndoOutcome> {
  const files = changes.filter(({ path }) => path !== INDEX_PATH);
  const isAsLeft = ({ path, after }: PastChange): boolean => view.rows.get(path)?.blob === after;
  const stale = files.filter((file) => !isAsLeft(file)).map(({ path }) => path);
  const toRestore = files.filter(isAsLeft);
  // If a commit edited only the index, the index is reverted.
  const ofIndex = changes.filter((change) => change.path === INDEX_PATH && isAsLeft(change));
  if (toRestore.length === 0 && (files.length > 0 || ofIndex.length === 0))
    return { outcome: { kind: "stale", stale } };
  const restored = (stale.length === 0 ? [...toRestore, ...ofIndex] : toRestore).map((change) => restore(view, change));
  const full = checkIndex(view, restored);
  if (full !== undefined) return { outcome: full };
  return {
    set: { by: "user", message: `undo ${commit.slice(0, 10)}: ${message}`, changes: restored },
    outcomeOf: (applied) =>
      applied.kind === "stale"
        ? { kind: "stale", stale: [...stale, applied.path] }
        : { kind: "undone", commit: applied.commit, restored: restored.map(({ path }) => path), stale },
  };
}

function restore({ rows }: MemoryView, { path, before }: PastChange): AuthoredChange {
  return {
    path,
    before: rows.get(path)?.version ?? "none",
    after: before?.bytes,
    author: before?.author ?? "user",
  };
}
