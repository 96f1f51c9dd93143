import type { Author } from "../topic.ts";
import { type GitObject, gitObject, type TreeEntry, treeObject } from "./git-object.ts";

/** The author, the message and the time of a commit. */
export interface CommitFacts {
  readonly by: Author;
  /** One line. */
  readonly message: string;
  readonly atMs: number;
  /** Whose the changed files are, by path: a proposal that the user approves stays the model's. */
  readonly authors: ReadonlyMap<string, Author>;
}

const WRITTEN_BY = /^written-by: (user|model|dream) (\S+)$/gm;

/** Returns the trees of all files of a memory, given as git's id of each content by path. */
export function treesOf(files: ReadonlyMap<string, string>): { tree: string; objects: GitObject[] } {
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

/** Returns the commit of a tree. Its id names the whole history before it, too. */
export function commitObject(
  { by, message, atMs, authors }: CommitFacts,
  { tree, parent }: { readonly tree: string; readonly parent: string | undefined },
): GitObject {
  const seconds = Math.max(0, Math.floor(atMs / 1_000));
  const head = [`tree ${tree}`, ...(parent === undefined ? [] : [`parent ${parent}`])];
  const who = [`author ${by} <${by}@memory.invalid>`, "committer palimpsest <palimpsest@memory.invalid>"];
  const others = [...authors].filter(([, author]) => author !== by).sort(([one], [other]) => (one < other ? -1 : 1));
  const text = [
    message,
    ...(others.length === 0 ? [] : [""]),
    ...others.map(([path, author]) => `written-by: ${author} ${path}`),
  ];
  const lines = [...head, ...who.map((line) => `${line} ${seconds} +0000`), "", ...text, ""];
  return gitObject("commit", Buffer.from(lines.join("\n")));
}

/** Reads from a commit's text whose the files are that are not of the commit's own author. */
export function readAuthors(text: string): ReadonlyMap<string, Author> {
  return new Map([...text.matchAll(WRITTEN_BY)].map(([, author, path]) => [path!, author as Author]));
}
