import { type CommitFacts, commitObject, treesOf } from "../../history/commit-objects.ts";
import { gitObject } from "../../history/git-object.ts";
import { makeRepository, readLooseObject, readReference, writeObject, writeReference } from "./loose-objects.ts";

export const BRANCH = "refs/heads/main";
/** Files open at a time: importing a memory of ten thousand topics writes as many objects. */
const AT_ONCE = 32;

export interface Commit extends CommitFacts {
  /** All files of the memory, by path. */
  readonly files: ReadonlyMap<string, string>;
  /** Contents that are not in history yet. */
  readonly contents: readonly Uint8Array[];
}

/** A commit, and git's name for its tree. */
export interface Committed {
  readonly commit: string;
  readonly tree: string;
}

/**
 * Adds a commit of all files, unless the newest one has the same; returns the newest.
 *
 * @param known what is known of the newest commit
 */
export async function commitFiles(gitFolder: string, commit: Commit, known?: Committed): Promise<Committed> {
  await makeRepository(gitFolder);
  const parent = readReference(gitFolder, BRANCH);
  const { tree, objects } = treesOf(commit.files);
  const before = parent === known?.commit ? known?.tree : parent === undefined ? undefined : treeOf(gitFolder, parent);
  if (parent !== undefined && before === tree) return { commit: parent, tree };
  const blobs = commit.contents.map((content) => gitObject("blob", content));
  const made = commitObject(commit, { tree, parent });
  const all = [...blobs, ...objects, made];
  for (let at = 0; at < all.length; at += AT_ONCE) {
    await Promise.all(all.slice(at, at + AT_ONCE).map((object) => writeObject(gitFolder, object)));
  }
  // Last: the reference to the commit, when everything that it names is on the disk.
  await writeReference(gitFolder, BRANCH, made.id);
  return { commit: made.id, tree };
}

/** Undefined if git has packed the commit: then an empty commit may follow it. */
function treeOf(gitFolder: string, commit: string): string | undefined {
  return readLooseObject(gitFolder, commit)
    ?.toString()
    .slice("tree ".length, "tree ".length + 40);
}
