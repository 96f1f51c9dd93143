import { closeSync, constants, fchmodSync, fstatSync, fsyncSync, mkdirSync, openSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { UnsafeMemoryError } from "../../memory-errors.ts";

const { O_RDONLY, O_NOFOLLOW = 0, O_DIRECTORY = 0 } = constants;

/** The folders of a memory, each held open from its first use on: a later replacement is not followed. */
export interface OpenFolders {
  /** Returns the path of a file of the memory; undefined if its folder is missing. */
  locate(path: string): string | undefined;
  /** The same, and creates its folder, for this user only. */
  locateNew(path: string): string;
  /** The names in a folder of the memory (`""`: the memory itself). */
  list(folder: string): readonly string[];
  /** When names were last added to a folder or removed from it; undefined if it is missing. */
  changedAtMs(folder: string): number | undefined;
  /** Syncs a folder: before it returns, changes of names in it may be lost with the power. */
  sync(folder: string): void;
  close(): void;
}

/** @param root with all links followed */
export function openFolders(root: string): OpenFolders {
  const held = new Map<string, number>();

  function hold(folder: string, missing: "make" | "leave" = "leave"): number | undefined {
    const known = held.get(folder);
    if (known !== undefined) return known;
    const path = folder === "" ? root : locate(folder, missing);
    const descriptor = path === undefined ? undefined : openFolder(path, missing);
    if (descriptor === undefined) return undefined;
    held.set(folder, descriptor);
    const { uid } = fstatSync(descriptor);
    // The host chooses the place of the memory itself; everything that we created in it is ours.
    if (folder !== "" && process.getuid !== undefined && uid !== process.getuid()) {
      throw new UnsafeMemoryError(join(root, folder));
    }
    return descriptor;
  }

  function locate(path: string, missing: "make" | "leave" = "leave"): string | undefined {
    const folder = dirname(path) === "." ? "" : dirname(path);
    const descriptor = hold(folder, missing);
    if (descriptor === undefined) return undefined;
    // Only Linux can address an open folder; elsewhere its path leaves a small gap.
    const at = process.platform === "linux" ? `/proc/self/fd/${descriptor}` : join(root, folder);
    return join(at, basename(path));
  }

  return {
    locate: (path) => locate(path),
    locateNew: (path) => locate(path, "make")!,
    list(folder) {
      const descriptor = hold(folder);
      if (descriptor === undefined) return [];
      return readdirSync(process.platform === "linux" ? `/proc/self/fd/${descriptor}` : join(root, folder));
    },
    changedAtMs(folder) {
      const descriptor = hold(folder);
      return descriptor === undefined ? undefined : fstatSync(descriptor).mtimeMs;
    },
    sync(folder) {
      const descriptor = hold(folder);
      // Windows has no such call, and needs none.
      if (descriptor !== undefined && process.platform !== "win32") fsyncSync(descriptor);
    },
    close() {
      for (const descriptor of held.values()) closeSync(descriptor);
      held.clear();
    },
  };
}

function openFolder(path: string, missing: "make" | "leave"): number | undefined {
  try {
    return openSync(path, O_RDONLY | O_NOFOLLOW | O_DIRECTORY);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ELOOP" || code === "ENOTDIR") throw new UnsafeMemoryError(path);
    if (code !== "ENOENT") throw error;
    if (missing === "leave") return undefined;
  }
  makeFolder(path);
  return openFolder(path, "leave");
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return;
    throw error;
  }
  const descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_DIRECTORY);
  try {
    // The umask reduces the mode of mkdir.
    fchmodSync(descriptor, 0o700);
  } finally {
    closeSync(descriptor);
  }
}
