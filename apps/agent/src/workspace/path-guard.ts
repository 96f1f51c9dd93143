import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";

/** The resolved target of a path, and where it is. */
export type GuardedPath =
  | { readonly kind: "inside"; readonly path: string; readonly root: string }
  | { readonly kind: "outside"; readonly path: string }
  /** A stored tool result, which can only be read. */
  | { readonly kind: "stored-result"; readonly path: string }
  | { readonly kind: "invalid"; readonly reason: string };

/** Resolves a path, and decides whether it is inside the folders that the agent may use. */
export interface PathGuard {
  /** The folders that tools may read and write, with links resolved. */
  readonly roots: readonly string[];
  locate(path: string): Promise<GuardedPath>;
}

/** The longest path that Linux accepts. */
const MAX_BYTES = 4_096;

/**
 * Creates a guard that resolves links before it decides. A path that does not exist yet counts by its nearest existing
 * folder. The result is valid only at that moment, so opening the file checks again (open-inside).
 */
export async function createPathGuard(folder: string, alsoAllowed: readonly string[] = []): Promise<PathGuard> {
  const roots = await Promise.all([folder, ...alsoAllowed].map((root) => realpath(root)));
  return {
    roots,
    async locate(path) {
      if (path === "") return { kind: "invalid", reason: "The path is empty." };
      if (path.includes("\0")) return { kind: "invalid", reason: "The path contains a NUL character." };
      if (Buffer.byteLength(path) > MAX_BYTES) {
        return {
          kind: "invalid",
          reason: `The path has ${Buffer.byteLength(path)} bytes; at most ${MAX_BYTES} are possible.`,
        };
      }
      const real = await realPathOf(isAbsolute(path) ? resolve(path) : resolve(roots[0]!, path));
      if (real === undefined)
        return { kind: "invalid", reason: `${path} leads over links that go in a circle or to nothing.` };
      const root = roots.find((candidate) => isInside(real, candidate));
      return root === undefined ? { kind: "outside", path: real } : { kind: "inside", path: real, root };
    },
  };
}

/** Compares with a trailing separator, because `/work-backup` is not inside `/work`. */
export function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** The real path. Undefined for a link without a target, because a file created through it could be anywhere. */
async function realPathOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || error.code !== "ENOENT") {
      if (
        error instanceof Error &&
        "code" in error &&
        ["ELOOP", "ENOTDIR", "ENAMETOOLONG"].includes(String(error.code))
      )
        return undefined;
      throw error;
    }
  }
  if (await isLink(path)) return undefined;
  const parent = dirname(path);
  if (parent === path) return path;
  const realParent = await realPathOf(parent);
  return realParent === undefined ? undefined : join(realParent, basename(path));
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (stat) => stat.isSymbolicLink(),
    () => false,
  );
}
