import { basename, dirname, resolve } from "node:path";
import type { ResultContent, ResultFiles } from "palimpsest";
import type { PathGuard } from "./path-guard.ts";

/** Opens a stored tool result by the path in its preview; undefined if the path names none. */
export type OpenStoredResult = (path: string) => Promise<ResultContent | undefined>;

/**
 * Opens the stored results of the given sessions and nothing else: the path has to be the very one that the result files
 * give, and they follow no links. There is no way to write through it.
 */
export function openStoredResults(
  files: Pick<ResultFiles, "find" | "locate">,
  sessions: readonly string[],
): OpenStoredResult {
  return async (path) => {
    const file = basename(path);
    const session = sessions.find((id) => files.locate(id, file) === resolve(path));
    return session === undefined ? undefined : files.find(session, file);
  };
}

/**
 * The same guard, for permissions: a path in the folder of stored results may be read. Which session's results a tool opens
 * is up to the tool.
 */
export function allowStoredResults(guard: PathGuard, files: Pick<ResultFiles, "locate">): PathGuard {
  return {
    roots: guard.roots,
    async locate(path) {
      const full = resolve(path);
      const isResult = files.locate(basename(dirname(full)), basename(full)) === full;
      return isResult ? { kind: "stored-result", path: full } : guard.locate(path);
    },
  };
}
