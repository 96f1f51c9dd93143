import type { FileState } from "./files/own-file.ts";
import type { SeenRow } from "./index-database.ts";

export interface Differences {
  /** New, or perhaps changed: to be read. */
  readonly toRead: readonly string[];
  readonly gone: readonly string[];
}

/** Times of files come from a clock that ticks every 1 to 10 ms; and a file system may round. */
const TICK_MS = 100;

/**
 * Which files are not what was last read, by their looks. One that was changed just before it was read may have been changed
 * again within the same tick of the clock, and look the same: it is read once more.
 */
export function findDifferences(
  files: ReadonlyMap<string, FileState>,
  rows: ReadonlyMap<string, SeenRow>,
): Differences {
  const toRead = [...files].flatMap(([path, { text, changedAtMs }]) => {
    const row = rows.get(path);
    const isKnown = row?.version !== undefined && row.state === text && changedAtMs < row.seenAtMs - TICK_MS;
    return isKnown ? [] : [path];
  });
  const gone = [...rows.values()].flatMap(({ path, version }) =>
    version === undefined || files.has(path) ? [] : [path],
  );
  return { toRead, gone };
}
