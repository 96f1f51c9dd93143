import { type FileRow, toSummaries } from "./file-row.ts";
import { updateIndex } from "./index-text.ts";
import type { MemoryLimits } from "./limits.ts";
import { readPath } from "./paths.ts";

/** Returns the correct index, based on its current text. */
export function wantedIndex(rows: ReadonlyMap<string, FileRow>, text: string, limits: MemoryLimits): string {
  const gone = [...rows.values()].flatMap(({ path, version }) => {
    const at = readPath(path);
    return at?.place === "topic" && version === undefined ? [at.slug] : [];
  });
  return updateIndex(text, toSummaries(rows.values()), new Set(gone), limits);
}
