import { lstat, mkdir, open, readdir, readFile, realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isInside } from "../../workspace/path-guard.ts";

/** What of a repository commands may write, and what they may not because the user's own git would run it or obey it. */
export interface GitPlaces {
  /** Bound for themselves: so that they cannot be put aside for others of their name, or because a commit writes to them. */
  readonly bound: readonly string[];
  readonly readOnly: readonly string[];
  /** Names that nothing can be mounted on, since they are links or of nothing: to be watched. */
  readonly names: readonly string[];
}

/** Folders that are looked into for repositories. */
const MAX_FOLDERS = 2_000;
const MAX_REPOSITORIES = 50;
const MAX_DEPTH = 3;

/** The folders in a root, itself among them, that have a `.git` now. What commands make later is theirs. */
export async function findRepositories(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  let level = [root];
  let looked = 0;
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      if (++looked > MAX_FOLDERS || found.length >= MAX_REPOSITORIES) return found;
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
      if (entries.some(({ name }) => name === ".git")) found.push(folder);
      const below = entries.filter((entry) => entry.isDirectory() && !/^(\.git|node_modules)$/.test(entry.name));
      next.push(...below.map(({ name }) => join(folder, name)));
    }
    level = next;
  }
  return found;
}

/**
 * The places of a repository in a root. Hooks and settings are not to be written, whether they exist yet or not; nor is what
 * leads git to others: `commondir`, `config.worktree`, the folders of submodules and of other worktrees.
 */
export async function gitPlaces(folder: string, root: string): Promise<GitPlaces> {
  const git = join(folder, ".git");
  const above = { ...NOWHERE, bound: foldersBetween(root, folder) };
  switch (await kindOf(git)) {
    case "none":
      return NOWHERE;
    case "folder":
      return merge(above, await ofRepository(git, { folder, root }));
    case "link":
      return merge(above, { ...NOWHERE, names: [git] }, await ofTarget(git, { folder, root }));
    case "file":
      return merge(above, { ...NOWHERE, readOnly: [git] }, await ofFile(git, { folder, root }));
  }
}

const NOWHERE: GitPlaces = { bound: [], readOnly: [], names: [] };

interface Around {
  readonly folder: string;
  readonly root: string;
}

/** @param git a real folder, in the root */
async function ofRepository(git: string, { folder, root }: Around): Promise<GitPlaces> {
  // Nothing can be mounted on what is not there, and a hook that is made later would be run as well.
  if ((await kindOf(join(git, "hooks"))) === "none") await mkdir(join(git, "hooks"));
  if ((await kindOf(join(git, "config"))) === "none") await (await open(join(git, "config"), "a")).close();
  const leading = await sorted(["hooks", "config", "commondir", "config.worktree"].map((name) => join(git, name)));
  const { readOnly } = await sorted(["modules", "worktrees"].map((name) => join(git, name)));
  const bound = { ...NOWHERE, bound: foldersBetween(root, git) };
  return merge(bound, leading, { ...NOWHERE, readOnly }, await ofHooksPath(join(git, "config"), folder));
}

/** A repository that lies elsewhere: in the root it is one as any other, outside of it nothing can be written anyway. */
async function ofTarget(path: string, around: Around): Promise<GitPlaces> {
  const target = await realpath(path).catch(() => undefined);
  const isHere = target !== undefined && isInside(target, around.root) && (await kindOf(target)) === "folder";
  return isHere ? ofRepository(target, around) : NOWHERE;
}

/** `.git` as a file says where the rest is. */
async function ofFile(file: string, around: Around): Promise<GitPlaces> {
  const [, to] = /^gitdir: (.+?)\s*$/.exec(await readFile(file, "utf8").catch(() => "")) ?? [];
  if (to === undefined) return NOWHERE;
  const elsewhere = resolve(around.folder, to);
  const isWorktree = (await kindOf(join(elsewhere, "commondir"))) !== "none";
  return isWorktree ? ofWorktree(file, elsewhere, around) : ofTarget(elsewhere, around);
}

/**
 * A commit in a worktree writes to the worktree's own part of the repository and to what all share, but not to the shared hooks
 * and settings. Only if the repository names this worktree as its own: anyone can write a file that points at somebody's.
 */
async function ofWorktree(file: string, part: string, { folder }: Around): Promise<GitPlaces> {
  try {
    const own = await realpath(part);
    const shared = await realpath(resolve(own, (await readFile(join(own, "commondir"), "utf8")).trim()));
    const namedBack = await realpath(resolve(own, (await readFile(join(own, "gitdir"), "utf8")).trim()));
    if (namedBack !== file || dirname(own) !== join(shared, "worktrees")) return NOWHERE;
    const written = ["objects", "refs", "logs"].map((name) => join(shared, name));
    const kinds = await Promise.all(written.map(kindOf));
    const bound = [own, ...written.filter((_, at) => kinds[at] === "folder")];
    const leading = await sorted(["commondir", "gitdir", "config.worktree"].map((name) => join(own, name)));
    return merge({ ...NOWHERE, bound }, leading, await ofHooksPath(join(shared, "config"), folder));
  } catch {
    return NOWHERE;
  }
}

/** Hooks may lie in the project itself. */
async function ofHooksPath(config: string, folder: string): Promise<GitPlaces> {
  const text = await readFile(config, "utf8").catch(() => "");
  const paths = [...text.matchAll(/^\s*hooksPath\s*=\s*"?([^"\n]+?)"?\s*$/gim)].map(([, path]) =>
    resolve(folder, path!),
  );
  const inside = paths.filter((path) => path !== folder && isInside(path, folder));
  const above = inside.flatMap((path) => foldersBetween(folder, dirname(path)));
  const kinds = await Promise.all(above.map(kindOf));
  return merge({ ...NOWHERE, bound: above.filter((_, at) => kinds[at] === "folder") }, await sorted(inside));
}

/** What can be mounted on, and what can only be watched. */
async function sorted(paths: readonly string[]): Promise<GitPlaces> {
  const kinds = await Promise.all(paths.map(kindOf));
  const isReal = (at: number): boolean => kinds[at] === "file" || kinds[at] === "folder";
  return {
    ...NOWHERE,
    readOnly: paths.filter((_, at) => isReal(at)),
    names: paths.filter((_, at) => !isReal(at)),
  };
}

function merge(...places: readonly GitPlaces[]): GitPlaces {
  return {
    bound: [...new Set(places.flatMap(({ bound }) => bound))],
    readOnly: [...new Set(places.flatMap(({ readOnly }) => readOnly))],
    names: [...new Set(places.flatMap(({ names }) => names))],
  };
}

/** From below a root down to a folder, which is the last. Where one is renamed, all that is mounted in it goes along. */
function foldersBetween(root: string, folder: string): readonly string[] {
  return folder === root || !isInside(folder, root) ? [] : [...foldersBetween(root, dirname(folder)), folder];
}

async function kindOf(path: string): Promise<"file" | "folder" | "link" | "none"> {
  try {
    const facts = await lstat(path);
    if (facts.isSymbolicLink()) return "link";
    return facts.isDirectory() ? "folder" : "file";
  } catch {
    return "none";
  }
}
