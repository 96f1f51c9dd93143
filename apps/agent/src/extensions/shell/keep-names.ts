import { type FSWatcher, watch } from "node:fs";
import { lstat, readlink, rm, symlink } from "node:fs/promises";
import { dirname } from "node:path";

export interface KeptNames {
  /** Ends it. Resolves to the names that were changed, and are as they were again. */
  settle(): Promise<readonly string[]>;
}

/**
 * Keeps names as they are that no mount can protect, while a command runs: what is not there stays away, and links stay what they
 * are. What is changed is put back at once, and once more at the end.
 * @param onChange is called when that happens
 */
export async function keepNames(paths: readonly string[], onChange: () => void): Promise<KeptNames> {
  const before = new Map(await Promise.all(paths.map(async (path) => [path, await stateOf(path)] as const)));
  const changed = new Set<string>();

  async function putBack(): Promise<void> {
    for (const [path, state] of before) {
      if ((await stateOf(path)) === state) continue;
      changed.add(path);
      await rm(path, { recursive: true, force: true });
      if (state !== "none" && state !== "other") await symlink(state.slice(LINK.length), path);
      onChange();
    }
  }

  let last: Promise<void> = Promise.resolve();
  const look = (): Promise<void> => {
    last = last.then(putBack).catch(() => undefined);
    return last;
  };
  const watchers = [...new Set(paths.map(dirname))].flatMap((folder) => watchFolder(folder, look));
  return {
    async settle() {
      for (const watcher of watchers) watcher.close();
      await look();
      return [...changed];
    },
  };
}

const LINK = "link to ";

async function stateOf(path: string): Promise<string> {
  try {
    const facts = await lstat(path);
    return facts.isSymbolicLink() ? `${LINK}${await readlink(path)}` : "other";
  } catch {
    return "none";
  }
}

/** Machines have so many watches and no more; then it is looked at the end only. */
function watchFolder(folder: string, look: () => void): readonly FSWatcher[] {
  try {
    const watcher = watch(folder, { persistent: false }, look);
    watcher.on("error", () => undefined);
    return [watcher];
  } catch {
    return [];
  }
}
