import type { Author } from "../topic.ts";
import {
  type GitObject,
  gitObject,
  makeRepository,
  readLooseObject,
  readReference,
  type TreeEntry,
  treeObject,
  writeObject,
  writeReference,
} from "./objects.ts";

export const BRANCH = "refs/heads/main";
/** Files open at a time: importing a memory of ten thousand topics writes as many objects. */
const AT_ONCE = 32;

export interface Commit {
  readonly by: Author;
  /** One line. */
  readonly message: string;
  readonly atMs: number;
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
  const made = gitObject("commit", Buffer.from(commitText(commit, tree, parent)));
  const all = [...blobs, ...objects, made];
  for (let at = 0; at < all.length; at += AT_ONCE) {
    await Promise.all(all.slice(at, at + AT_ONCE).map((object) => writeObject(gitFolder, object)));
  }
  // Last: the reference to the commit, when everything that it names is on the disk.
  await writeReference(gitFolder, BRANCH, made.id);
  return { commit: made.id, tree };
}

function treesOf(files: ReadonlyMap<string, string>): { tree: string; objects: GitObject[] } {
  const folders = Map.groupBy(files, ([path]) => (path.includes("/") ? path.slice(0, path.indexOf("/")) : ""));
  const entriesOf = (folder: string): TreeEntry[] =>
    (folders.get(folder) ?? []).map(([path, id]) => ({ name: path.slice(path.indexOf("/") + 1), id, kind: "file" }));
  const inner = [...folders.keys()]
    .filter((name) => name !== "")
    .map((name) => ({ name, object: treeObject(entriesOf(name)) }));
  const root = treeObject([
    ...entriesOf(""),
    ...inner.map(({ name, object }) => ({ name, id: object.id, kind: "folder" as const })),
  ]);
  return { tree: root.id, objects: [...inner.map(({ object }) => object), root] };
}

/** Undefined if git has packed the commit: then an empty commit may follow it. */
function treeOf(gitFolder: string, commit: string): string | undefined {
  return readLooseObject(gitFolder, commit)
    ?.toString()
    .slice("tree ".length, "tree ".length + 40);
}

function commitText({ by, message, atMs }: Commit, tree: string, parent: string | undefined): string {
  const seconds = Math.max(0, Math.floor(atMs / 1_000));
  const head = [`tree ${tree}`, ...(parent === undefined ? [] : [`parent ${parent}`])];
  const who = [`author ${by} <${by}@memory.invalid>`, "committer palimpsest <palimpsest@memory.invalid>"];
  return [...head, ...who.map((line) => `${line} ${seconds} +0000`), "", `${message}\n`].join("\n");
}
