import { constants } from "node:fs";
import { access, lstat, readFile, realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isInside } from "../workspace/path-guard.ts";

/** What of a project stays as it is, for the mounts of a command. */
export interface Places {
  /** Writable and bound for themselves, so that they cannot be put aside for others of their name, or because a commit writes there. */
  readonly bound: readonly string[];
  /** Exist, and are not to be written. */
  readonly readOnly: readonly string[];
  /** Do not exist, and are not to be made. */
  readonly covered: readonly Cover[];
}

export interface Cover {
  readonly path: string;
  /**
   * `folder`: an empty one, even for the name of a file, since git would list any other thing. `empty`: an empty file, for what git
   * opens itself. `itself`: a file that says "." to git, which would not go on with an empty one.
   */
  readonly as: "folder" | "empty" | "itself";
}

export const NOWHERE: Places = { bound: [], readOnly: [], covered: [] };

/**
 * The places of a repository in a root. Hooks and settings are not to be written, whether they exist yet or not; nor is what leads
 * git to others: `commondir`, `config.worktree`, the folders of submodules and of other worktrees.
 * @param git the `.git` of a folder, or the folder of a bare repository: not a link
 */
export async function repositoryPlaces(git: string, root: string): Promise<Places> {
  const folder = git.endsWith("/.git") ? dirname(git) : git;
  if ((await kindOf(git)) === "file")
    return mergePlaces({ ...NOWHERE, readOnly: [git] }, await ofFile(git, folder, root));
  return ofRepository(git, folder, root);
}

async function ofRepository(git: string, folder: string, root: string): Promise<Places> {
  const leading = ["hooks", "config", "config.worktree", "commondir"].map((name) => join(git, name));
  // Nothing can be mounted on a link, and it could be exchanged: then all of the repository is kept.
  if (git !== root && (await Promise.all(leading.map(kindOf))).includes("link")) return { ...NOWHERE, readOnly: [git] };
  const config = await readFile(join(git, "config"), "utf8").catch(() => "");
  return mergePlaces(
    { ...NOWHERE, bound: git === root ? [] : [git] },
    await keptPlace(join(git, "hooks"), "folder"),
    await keptPlace(join(git, "config"), "empty"),
    await keptPlace(join(git, "config.worktree"), "empty"),
    await keptPlace(join(git, "commondir"), "itself"),
    await existing([join(git, "modules"), join(git, "worktrees")]),
    await ofConfig(config, { git, folder, root }),
  );
}

const GITDIR = "gitdir: ";

/** `.git` as a file says where the rest is. */
async function ofFile(file: string, folder: string, root: string): Promise<Places> {
  const text = await readFile(file, "utf8").catch(() => "");
  const to = text.startsWith(GITDIR) ? text.slice(GITDIR.length).trim() : "";
  if (to === "" || to.includes("\n")) return NOWHERE;
  const elsewhere = await realpath(resolve(folder, to)).catch(() => undefined);
  if (elsewhere === undefined) return NOWHERE;
  if ((await kindOf(join(elsewhere, "commondir"))) !== "none") return ofWorktree(file, elsewhere, root);
  // Outside of the root nothing can be written anyway.
  return isInside(elsewhere, root) ? ofRepository(elsewhere, folder, root) : NOWHERE;
}

/**
 * A commit in a worktree writes to the worktree's own part of the repository and to what all share, but not to the shared hooks
 * and settings. Only if the repository names this worktree as its own: anyone can write a file that points at somebody's.
 */
async function ofWorktree(file: string, own: string, root: string): Promise<Places> {
  try {
    const shared = await realpath(resolve(own, (await readFile(join(own, "commondir"), "utf8")).trim()));
    const namedBack = await realpath(resolve(own, (await readFile(join(own, "gitdir"), "utf8")).trim()));
    if (namedBack !== file || dirname(own) !== join(shared, "worktrees")) return NOWHERE;
    const written = ["objects", "refs", "logs"].map((name) => join(shared, name));
    const kinds = await Promise.all(written.map(kindOf));
    const config = await readFile(join(shared, "config"), "utf8");
    return mergePlaces(
      { ...NOWHERE, bound: [own, ...written.filter((_, at) => kinds[at] === "folder")] },
      await existing([join(own, "commondir"), join(own, "gitdir")]),
      await keptPlace(join(own, "config.worktree"), "empty"),
      await ofConfig(config, { git: shared, folder: dirname(file), root }),
    );
  } catch {
    return NOWHERE;
  }
}

/** Settings whose values are programs that git runs, or files with more settings. */
const OBEYED =
  /^[ \t]{0,100}(path|hookspath|fsmonitor|sshcommand|editor|pager|clean|smudge|process|command|textconv|driver|program|helper|askpass|cmd|attributesfile)[ \t]{0,100}=(.*)$/gim;

/** Hooks, included settings and programs may lie in the project itself. */
async function ofConfig(
  config: string,
  { git, folder, root }: { readonly git: string; readonly folder: string; readonly root: string },
): Promise<Places> {
  const places: Places[] = [];
  for (const [, key, value] of config.matchAll(OBEYED)) {
    const words = value!.replaceAll(/["'!]/g, " ").split(/\s+/).filter(Boolean);
    const from = key!.toLowerCase() === "path" ? git : folder;
    for (const path of words.map((word) => resolve(from, word))) {
      if (path === root || isInside(folder, path) || isInside(git, path) || !isInside(path, root)) continue;
      if (/^hookspath$/i.test(key!)) places.push(await keptPlace(path, "folder"));
      else if (/^path$/i.test(key!)) places.push(await keptPlace(path, "empty"));
      else if ((await kindOf(path)) === "file") places.push(await existing([path]));
    }
  }
  return mergePlaces(...places);
}

/** Read-only if it is there, covered if it is not. Nothing can be mounted on a link. */
export async function keptPlace(path: string, as: Cover["as"]): Promise<Places> {
  const kind = await kindOf(path);
  if (kind !== "none") return kind === "link" ? NOWHERE : { ...NOWHERE, readOnly: [path] };
  return (await isWritable(dirname(path))) ? { ...NOWHERE, covered: [{ path, as }] } : NOWHERE;
}

/** What the user cannot make either needs no cover, and bubblewrap could not make the place for one. */
async function isWritable(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );
}

async function existing(paths: readonly string[]): Promise<Places> {
  const kinds = await Promise.all(paths.map(kindOf));
  return { ...NOWHERE, readOnly: paths.filter((_, at) => kinds[at] === "file" || kinds[at] === "folder") };
}

export function mergePlaces(...places: readonly Places[]): Places {
  const covered = new Map(places.flatMap((one) => one.covered.map((cover) => [cover.path, cover])));
  return {
    bound: [...new Set(places.flatMap(({ bound }) => bound))],
    readOnly: [...new Set(places.flatMap(({ readOnly }) => readOnly))],
    covered: [...covered.values()],
  };
}

export async function kindOf(path: string): Promise<"file" | "folder" | "link" | "none"> {
  try {
    const facts = await lstat(path);
    if (facts.isSymbolicLink()) return "link";
    return facts.isDirectory() ? "folder" : "file";
  } catch {
    return "none";
  }
}
