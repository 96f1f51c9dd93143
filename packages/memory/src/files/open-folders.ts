import { closeSync, constants, fchmodSync, fstatSync, fsyncSync, mkdirSync, openSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { UnsafeMemoryError } from "./memory-errors.ts";

const { O_RDONLY, O_NOFOLLOW = 0, O_DIRECTORY = 0 } = constants;

/** The folders of a memory, each held open from the first use on: whatever is put in its place later is not followed. */
export interface OpenFolders {
  /** How the system finds a file of the memory; undefined where its folder is not there. */
  locate(path: string): string | undefined;
  /** The same, and makes its folder, for this user only. */
  locateNew(path: string): string;
  /** The names in a folder of the memory (`""`: the memory itself). */
  list(folder: string): readonly string[];
  /** When names were last added to a folder or taken from it; undefined where it is not there. */
  changedAtMs(folder: string): number | undefined;
  /** Until this returns, what was done to names in a folder may be lost with the power. */
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
    // The memory itself is where the host wants it; what we have made in it is ours.
    if (folder !== "" && process.getuid !== undefined && uid !== process.getuid()) {
      throw new UnsafeMemoryError(join(root, folder));
    }
    return descriptor;
  }

  function locate(path: string, missing: "make" | "leave" = "leave"): string | undefined {
    const folder = dirname(path) === "." ? "" : dirname(path);
    const descriptor = hold(folder, missing);
    if (descriptor === undefined) return undefined;
    // Only Linux can name a folder that is held; elsewhere its path leaves a moment in between.
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
    // The mode of mkdir is cut by the umask.
    fchmodSync(descriptor, 0o700);
  } finally {
    closeSync(descriptor);
  }
}
