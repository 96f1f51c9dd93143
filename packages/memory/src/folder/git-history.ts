import type { MemoryFiles, NoHistory, PastChange } from "../memory-files.ts";
import { BRANCH } from "./history/commit-files.ts";
import { createGit } from "./history/git.ts";
import { readReference } from "./history/loose-objects.ts";
import { type BlobChange, readBlobs, readCommit, readDiff, readLog, readNewest } from "./history/read-history.ts";

/** The history of a folder, as git reads it. */
export function gitHistory(
  gitFolder: () => string,
  gitProgram: string,
): Pick<MemoryFiles, "log" | "readCommit" | "diff"> {
  const git = () => createGit(gitFolder(), gitProgram);
  const isEmpty = (): boolean => readReference(gitFolder(), BRANCH) === undefined;

  async function withContents(
    commit: string,
    changes: readonly BlobChange[],
  ): Promise<readonly PastChange[] | NoHistory> {
    const contents = await readBlobs(
      git(),
      changes.flatMap(({ before }) => before ?? []),
    );
    if ("kind" in contents) return contents;
    const isRoot = changes.every(({ before }) => before === undefined);
    const authors = isRoot ? new Map() : await readNewest(git(), `${commit}^`);
    if ("kind" in authors) return authors;
    return changes.map(({ path, before, after }) => ({
      path,
      after,
      before:
        before === undefined ? undefined : { bytes: contents.get(before)!, author: authors.get(path)?.by ?? "user" },
    }));
  }

  return {
    log: async (limit) => (isEmpty() ? { kind: "log", commits: [] } : readLog(git(), limit)),
    async readCommit(name) {
      const found = isEmpty() ? undefined : await readCommit(git(), name);
      if (found === undefined || "kind" in found) return found;
      const changes = await withContents(found.commit, found.changes);
      return "kind" in changes ? changes : { commit: found.commit, message: found.message, changes };
    },
    async diff(name) {
      const found = isEmpty() ? undefined : await readCommit(git(), name);
      if (found === undefined) return { kind: "unknown-commit" };
      if ("kind" in found) return found;
      const diff = await readDiff(git(), found.commit);
      return diff.kind === "diff" ? { ...diff, commit: found.commit } : diff;
    },
  };
}
