import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";

/** Where a path leads once all links on the way are followed. */
export type GuardedPath =
  | { readonly kind: "inside"; readonly path: string; readonly root: string }
  | { readonly kind: "outside"; readonly path: string }
  /** A tool result that was stored: it can be read, and nothing else. */
  | { readonly kind: "stored-result"; readonly path: string }
  | { readonly kind: "invalid"; readonly reason: string };

export interface PathGuard {
  /** Folders that may be read and written, links followed. */
  readonly roots: readonly string[];
  locate(path: string): Promise<GuardedPath>;
}

/** Linux takes no longer ones. */
const MAX_BYTES = 4_096;

/**
 * Says of any path whether it lies in the given folders, by where it really leads: of what does not exist yet, the nearest
 * folder that does. It tells what is so now; whoever opens the file checks again on what he holds (open-inside).
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

/** With the separator: `/work-backup` does not lie in `/work`. */
export function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** Undefined where a link leads to nothing: what would be created there lies who knows where. */
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
