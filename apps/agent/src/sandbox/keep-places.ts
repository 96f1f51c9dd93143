import { dirname, join } from "node:path";
import { isInside } from "../workspace/path-guard.ts";
import type { SandboxPolicy } from "./policy.ts";
import { COVERED_NAMES } from "./protected-names.ts";
import { keptPlace, kindOf, mergePlaces, NOWHERE, type Places, repositoryPlaces } from "./repository-places.ts";
import type { FoundName, ProjectScan } from "./scan-project.ts";

/**
 * All places of the roots that a command may not change: protected names at the top, whether they exist or not; those that were found
 * deeper; repositories; files that hooks and servers name. The folders above them are bound for themselves: a folder that something
 * is mounted on cannot be renamed, and its parent could be.
 */
export async function keepPlaces({ roots, readOnly }: SandboxPolicy, scan: ProjectScan): Promise<Places> {
  const found = [...scan.names.values()].filter(({ kind }) => kind !== "link");
  const names = found.filter(({ path, kind }) => kind !== "repository" && !path.endsWith("/.git"));
  const repositories = found.filter((name) => !names.includes(name));
  const tops = [...roots, ...projectsOf(repositories, roots)];
  const covers = await Promise.all(tops.flatMap((top) => COVERED_NAMES.map((name) => missingName(top, name))));
  const ofGit = await Promise.all(
    repositories.map(({ path }) => repositoryPlaces(path, roots.find((root) => isInside(path, root))!)),
  );
  const named = await Promise.all(readOnly.map((path) => keptPlace(path, "folder")));
  const linked = await Promise.all([...scan.names.values()].filter(({ kind }) => kind === "link").map(linkedPlaces));
  const places = mergePlaces(
    ...covers,
    { ...NOWHERE, readOnly: names.map(({ path }) => path) },
    ...ofGit,
    ...named.map(({ readOnly }) => ({ ...NOWHERE, readOnly })),
    ...linked.flat(),
  );
  const kept = [...places.readOnly, ...places.covered.map(({ path }) => path), ...places.bound];
  const above = kept.flatMap((path) => roots.flatMap((root) => foldersBetween(root, dirname(path))));
  // Outer ones first: what is mounted later lies above what was mounted in it before.
  const bound = [...new Set([...places.bound, ...above])].sort((one, other) => one.length - other.length);
  const isBelowReadOnly = (path: string): boolean =>
    places.readOnly.some((outer) => outer !== path && isInside(path, outer));
  return {
    bound: bound.filter((path) => !isBelowReadOnly(path) && !places.readOnly.includes(path)),
    readOnly: places.readOnly.filter((path) => !isBelowReadOnly(path)),
    covered: places.covered.filter(({ path }) => !isBelowReadOnly(path)),
  };

  /** A name that is a link: what it leads to is kept, if it lies in a root. That it is another one afterwards is reported. */
  async function linkedPlaces({
    path,
    target,
  }: {
    readonly path: string;
    readonly target?: string;
  }): Promise<Places[]> {
    const to = join(dirname(path), target ?? "");
    const root = roots.find((candidate) => isInside(to, candidate) && to !== candidate);
    if (root === undefined || (await kindOf(to)) === "link" || (await kindOf(to)) === "none") return [];
    return [path.endsWith("/.git") ? await repositoryPlaces(to, root) : { ...NOWHERE, readOnly: [to] }];
  }
}

/** Each name that is covered is a mount, and costs a tenth of a millisecond. */
const MAX_PROJECTS = 8;

/** Folders of repositories in the roots: editors and agents are opened there as well. Those nearest to the top count. */
function projectsOf(repositories: readonly FoundName[], roots: readonly string[]): readonly string[] {
  const folders = repositories.filter(({ path }) => path.endsWith("/.git")).map(({ path }) => dirname(path));
  const own = folders.filter((folder) => !roots.includes(folder) && !folder.includes("/node_modules/"));
  return own.toSorted((one, other) => one.length - other.length).slice(0, MAX_PROJECTS);
}

/** The first part of the name that is missing: nothing can be mounted below what is not there. */
async function missingName(root: string, name: string): Promise<Places> {
  const parts = name.split("/");
  for (const [at] of parts.entries()) {
    const path = join(root, ...parts.slice(0, at + 1));
    const there = await kindOf(path);
    if (there === "none") return keptPlace(path, "folder");
    if (there !== "folder") return NOWHERE;
  }
  return NOWHERE;
}

/** From below a root down to a folder, which is the last. */
function foldersBetween(root: string, folder: string): readonly string[] {
  return folder === root || !isInside(folder, root) ? [] : [...foldersBetween(root, dirname(folder)), folder];
}
