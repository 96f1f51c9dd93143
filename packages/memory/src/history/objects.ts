import { hash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { deflate, inflateSync } from "node:zlib";
import { writeSynced } from "../files/place-file.ts";

/**
 * Git objects, each in a file of its own, named by its digest (https://git-scm.com/docs/gitformat-loose). This module
 * writes them instead of git, because a commit would take at least one process: measured 28 ms with `git fast-import`,
 * while other writers wait; and a process that outlives its killed parent would keep writing. Git reads them.
 */

export type ObjectKind = "blob" | "tree" | "commit";

export interface GitObject {
  readonly id: string;
  readonly kind: ObjectKind;
  readonly content: Uint8Array;
}

const compress = promisify(deflate);

export function gitObject(kind: ObjectKind, content: Uint8Array): GitObject {
  return { id: blobLikeId(kind, content), kind, content };
}

/** Returns git's id of a file's content. */
export function blobId(content: Uint8Array): string {
  return blobLikeId("blob", content);
}

function blobLikeId(kind: ObjectKind, content: Uint8Array): string {
  return hash("sha1", Buffer.concat([headerOf(kind, content.length), content]), "hex");
}

/** Writes an object. An existing one stays: the same name means the same content. */
export async function writeObject(gitFolder: string, { id, kind, content }: GitObject): Promise<void> {
  const path = pathOf(gitFolder, id);
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // The name that git itself would use for a temporary file, so that its `gc` removes it.
  const beside = join(gitFolder, "objects", `tmp_obj_${randomUUID()}`);
  await writeSynced(beside, await compress(Buffer.concat([headerOf(kind, content.length), content])));
  renameSync(beside, path);
}

/** Returns undefined if the file does not exist: git may have moved the object into a pack. */
export function readLooseObject(gitFolder: string, id: string): Buffer | undefined {
  const path = pathOf(gitFolder, id);
  if (!existsSync(path)) return undefined;
  const whole = inflateSync(readFileSync(path));
  return whole.subarray(whole.indexOf(0) + 1);
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

/** Replaces the newest commit. Readers see either the old or the new one. */
export async function writeReference(gitFolder: string, name: string, id: string): Promise<void> {
  const path = join(gitFolder, name);
  const beside = join(gitFolder, `tmp_ref_${randomUUID()}`);
  await writeSynced(beside, Buffer.from(`${id}\n`));
  renameSync(beside, path);
}

export function readReference(gitFolder: string, name: string): string | undefined {
  const loose = join(gitFolder, name);
  if (existsSync(loose)) return readFileSync(loose, "utf8").trim();
  // After a `git gc`, the reference is in a list.
  const packed = join(gitFolder, "packed-refs");
  if (!existsSync(packed)) return undefined;
  const line = readFileSync(packed, "utf8")
    .split("\n")
    .find((one) => one.endsWith(` ${name}`));
  return line?.slice(0, 40);
}

const CONFIGURATION = `[core]
	repositoryformatversion = 0
	filemode = false
	bare = true
	logAllRefUpdates = false
[gc]
	auto = 0
`;

/**
 * Creates an empty repository, unless one exists. Its configuration is ours: any other (for instance with a program to
 * run) is replaced.
 */
export async function makeRepository(gitFolder: string): Promise<void> {
  for (const folder of [gitFolder, join(gitFolder, "objects"), join(gitFolder, "refs/heads")]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  for (const [name, content] of [
    ["HEAD", "ref: refs/heads/main\n"],
    ["config", CONFIGURATION],
  ] as const) {
    const path = join(gitFolder, name);
    if (existsSync(path) && readFileSync(path, "utf8") === content) continue;
    const beside = join(gitFolder, `tmp_new_${randomUUID()}`);
    await writeSynced(beside, Buffer.from(content));
    renameSync(beside, path);
  }
}

function pathOf(gitFolder: string, id: string): string {
  return join(gitFolder, "objects", id.slice(0, 2), id.slice(2));
}

function headerOf(kind: ObjectKind, size: number): Buffer {
  return Buffer.from(`${kind} ${size}\0`);
}
