import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { deflate, inflateSync } from "node:zlib";
import { type GitObject, storedForm } from "../../history/git-object.ts";
import { writeSynced } from "../files/place-file.ts";

const compress = promisify(deflate);

/**
 * Writes an object in a file of its own. An existing one stays: the same name means the same content. This module writes objects
 * instead of git, because a commit would take at least one process: measured 28 ms with `git fast-import`, while other writers
 * wait; and a process that outlives its killed parent would keep writing. Git reads them.
 */
export async function writeObject(gitFolder: string, object: GitObject): Promise<void> {
  const path = pathOf(gitFolder, object.id);
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // The name that git itself would use for a temporary file, so that its `gc` removes it.
  const beside = join(gitFolder, "objects", `tmp_obj_${randomUUID()}`);
  await writeSynced(beside, await compress(storedForm(object)));
  renameSync(beside, path);
}

/** Returns undefined if the file does not exist: git may have moved the object into a pack. */
export function readLooseObject(gitFolder: string, id: string): Buffer | undefined {
  const path = pathOf(gitFolder, id);
  if (!existsSync(path)) return undefined;
  const whole = inflateSync(readFileSync(path));
  return whole.subarray(whole.indexOf(0) + 1);
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
