import { readFile } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import type { ResultFiles } from "palimpsest";
import type { ResultContent } from "palimpsest/store-parts";
import type { ToolSession } from "../../extension/extension.ts";
import type { PathGuard } from "../../workspace/path-guard.ts";

/** Opens a stored tool result by the path in its preview. Undefined for other paths. */
export type OpenStoredResult = (path: string) => Promise<ResultContent | undefined>;

/**
 * Opens the stored results that a session may read: its own results and, for an agent, the results of the main session,
 * because previews in the agent's view name them.
 * @param ownFiles files of the main session that may be read like results, such as its plan
 */
export function resultsOf(
  files: Pick<ResultFiles, "find" | "locate">,
  ownFiles: readonly string[],
): (session: ToolSession) => OpenStoredResult {
  return ({ session, kind, main }) =>
    kind === "main"
      ? ownFiles.reduce(alsoOpenFile, openStoredResults(files, [main.id]))
      : openStoredResults(files, [session.id, main.id]);
}

/**
 * Opens the stored results of the given sessions and nothing else: the path must equal the path of a result file. Does
 * not follow links, and cannot write.
 */
function openStoredResults(files: Pick<ResultFiles, "find" | "locate">, sessions: readonly string[]): OpenStoredResult {
  return async (path) => {
    const file = basename(path);
    const session = sessions.find((id) => files.locate(id, file) === resolve(path));
    return session === undefined ? undefined : files.find(session, file);
  };
}

/** Also opens another file of the session, such as its plan. */
function alsoOpenFile(open: OpenStoredResult, file: string): OpenStoredResult {
  return async (path) => {
    if (resolve(path) !== file) return open(path);
    const bytes = await readFile(file).catch(() => undefined);
    return (
      bytes && {
        bytes: bytes.length,
        chunks: async function* () {
          yield bytes;
        },
      }
    );
  };
}

/**
 * Extends the guard for permission checks, so that paths in the folder of stored results may be read. The tool decides
 * which session's results it opens.
 */
export function allowStoredResults(
  guard: PathGuard,
  files: Pick<ResultFiles, "locate">,
  also: readonly string[] = [],
): PathGuard {
  return {
    roots: guard.roots,
    async locate(path) {
      const full = resolve(path);
      const isResult = files.locate(basename(dirname(full)), basename(full)) === full || also.includes(full);
      return isResult ? { kind: "stored-result", path: full } : guard.locate(path);
    },
  };
}
