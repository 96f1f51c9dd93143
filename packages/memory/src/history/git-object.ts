import { hash } from "node:crypto";

export type ObjectKind = "blob" | "tree" | "commit";

/** A git object, named by its digest (https://git-scm.com/docs/gitformat-loose). */
export interface GitObject {
  readonly id: string;
  readonly kind: ObjectKind;
  readonly content: Uint8Array;
}

export function gitObject(kind: ObjectKind, content: Uint8Array): GitObject {
  return { id: hash("sha1", storedForm({ kind, content }), "hex"), kind, content };
}

/** Returns git's id of a file's content. */
export function blobId(content: Uint8Array): string {
  return gitObject("blob", content).id;
}

/** The bytes that the id is the digest of. */
export function storedForm({ kind, content }: Omit<GitObject, "id">): Buffer {
  return Buffer.concat([Buffer.from(`${kind} ${content.length}\0`), content]);
}

export interface TreeEntry {
  readonly name: string;
  readonly id: string;
  readonly kind: "file" | "folder";
}

/** Returns the object of a folder. Git requires the names in byte order, with a slash after names of folders. */
export function treeObject(entries: readonly TreeEntry[]): GitObject {
  const key = ({ name, kind }: TreeEntry): string => (kind === "folder" ? `${name}/` : name);
  const sorted = entries.toSorted((one, other) => (key(one) < key(other) ? -1 : 1));
  const lines = sorted.flatMap(({ name, id, kind }) => [
    Buffer.from(`${kind === "folder" ? "40000" : "100644"} ${name}\0`),
    Buffer.from(id, "hex"),
  ]);
  return gitObject("tree", Buffer.concat(lines));
}
