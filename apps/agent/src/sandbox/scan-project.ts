import { type BigIntStats, type Dirent, lstatSync, readdirSync, readlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { PROTECTED_NAMES } from "./protected-names.ts";

/** Something in a project that programs of the user obey. */
export interface FoundName {
  readonly path: string;
  /** `repository`: a `.git` folder, or the folder of a bare repository. */
  readonly kind: "file" | "folder" | "link" | "repository";
  /** Of a link: where it leads. */
  readonly target?: string;
}

export interface ProjectScan {
  /** By path. */
  readonly names: ReadonlyMap<string, FoundName>;
  /** Files and folders that may not be read. */
  readonly hidden: readonly string[];
  readonly extent: "complete" | "cut";
}

interface ProjectScanner {
  /** Looks again; folders in which nothing was made or removed since are not read again. */
  scan(): Promise<ProjectScan>;
}

interface ScanOptions {
  readonly roots: readonly string[];
  /** Whether an absolute path may not be read. */
  readonly isHidden: (path: string) => boolean;
  /** @default MAX_FOLDERS */
  readonly maxFolders?: number;
}

/** A look at as many costs about half a second; a later one, a tenth of that. */
export const MAX_FOLDERS = 50_000;
/** Between pauses, in which others may work. */
const FOLDERS_AT_ONCE = 500;
/** A folder that was changed so short ago may change again without another time: clocks of file systems are coarse. */
const FRESH_NS = 20_000_000n;

interface Folder {
  readonly changedNs: bigint;
  readonly names: readonly FoundName[];
  readonly hidden: readonly string[];
  readonly below: readonly string[];
}

const ANYWHERE = new Set(PROTECTED_NAMES.filter(({ where }) => where === "anywhere").map(({ path }) => path));
const AT_TOP = new Set(PROTECTED_NAMES.map(({ path }) => path));

/**
 * Finds what programs of the user obey, and what may not be read, however deep. What a folder holds is kept with the time of its last
 * change, which no program can set back, so looking again after each command costs a few microseconds a folder.
 */
export function createProjectScanner({ roots, isHidden, maxFolders = MAX_FOLDERS }: ScanOptions): ProjectScanner {
  const known = new Map<string, Folder>();

  function look(folder: string, root: string): Folder | undefined {
    const facts = statOf(folder);
    if (facts === undefined || !facts.isDirectory()) return undefined;
    const kept = known.get(folder);
    if (kept !== undefined && kept.changedNs === facts.ctimeNs) return kept;
    const read = readFolder(folder, root, isHidden);
    const isFresh = BigInt(Date.now()) * 1_000_000n - facts.ctimeNs < FRESH_NS;
    const found = { ...read, changedNs: isFresh ? -1n : facts.ctimeNs };
    known.set(folder, found);
    return found;
  }

  return {
    async scan() {
      const names = new Map<string, FoundName>();
      const hidden: string[] = [];
      let looked = 0;
      for (const root of roots) {
        const waiting = [root];
        for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) {
          if (++looked > maxFolders) return { names, hidden, extent: "cut" };
          if (looked % FOLDERS_AT_ONCE === 0) await setImmediate();
          const found = look(folder, root);
          if (found === undefined) continue;
          for (const name of found.names) names.set(name.path, name);
          hidden.push(...found.hidden);
          for (const below of found.below) waiting.push(below);
        }
      }
      return { names, hidden, extent: "complete" };
    },
  };
}

function readFolder(folder: string, root: string, isHidden: ScanOptions["isHidden"]): Omit<Folder, "changedNs"> {
  const entries = readEntries(folder);
  const all = new Set(entries.map(({ name }) => name));
  const [above, own] = [dirname(folder), basename(folder)];
  const one = folder === root || all.has(".git") ? AT_TOP : ANYWHERE;
  const two = above === root || statOf(join(above, ".git")) !== undefined ? AT_TOP : ANYWHERE;
  const isProtected = ({ name }: Dirent): boolean => one.has(name) || (folder !== root && two.has(`${own}/${name}`));
  const isBare = ["HEAD", "objects", "refs"].every((name) => all.has(name));
  const names: readonly FoundName[] = [
    ...entries.filter(isProtected).map((entry) => foundOf(join(folder, entry.name), entry)),
    ...(isBare ? [{ path: folder, kind: "repository" } as const] : []),
  ];
  const hidden = entries.map(({ name }) => join(folder, name)).filter((path) => isHidden(path));
  const folders = entries.filter((entry) => entry.isDirectory() && !isProtected(entry));
  const below = folders.map(({ name }) => join(folder, name)).filter((path) => !hidden.includes(path));
  // Packages are looked into for repositories, and no deeper: there are tens of thousands of folders below.
  const isInstalled = INSTALLED.test(folder);
  return {
    names: isInstalled ? names.filter(({ kind }) => kind === "repository") : names,
    hidden,
    below: isInstalled ? [] : below,
  };
}

/** A package, as a package manager has put it there. */
const INSTALLED = /\/node_modules\/(@[^/]+\/)?[^/@.][^/]*$/;

function foundOf(path: string, facts: Dirent | BigIntStats): FoundName {
  if (facts.isSymbolicLink()) return { path, kind: "link", target: targetOf(path) };
  if (!facts.isDirectory()) return { path, kind: "file" };
  return { path, kind: path.endsWith("/.git") ? "repository" : "folder" };
}

function targetOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

function statOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true });
  } catch {
    return undefined;
  }
}

function readEntries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
