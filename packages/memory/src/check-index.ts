import type { AuthoredChange } from "./change-set.ts";
import { rowsAfter } from "./file-row.ts";
import { headroomOf } from "./index-text.ts";
import type { MemoryView } from "./memory-files.ts";
import { type Refused, refused } from "./outcomes.ts";
import { INDEX_PATH } from "./paths.ts";
import { wantedIndex } from "./wanted-index.ts";

/**
 * Refuses changes that do not fit into the index. A change that shortens the index is always allowed, even if hand edits have
 * made it too long.
 */
export function checkIndex(view: MemoryView, changes: readonly AuthoredChange[]): Refused | undefined {
  const { limits } = view;
  if (view.isUnsafe(INDEX_PATH)) {
    return refused("unsafe-file", `${INDEX_PATH} is a link or no plain file, and was left alone. Remove it first.`);
  }
  const text = view.rows.get(INDEX_PATH)?.version === undefined ? "" : Buffer.from(view.bytes(INDEX_PATH)).toString();
  const [now, then] = [text, wantedIndex(rowsAfter(view.rows, changes, view.nowMs), text, limits)].map((index) =>
    headroomOf(index, limits),
  ) as [ReturnType<typeof headroomOf>, ReturnType<typeof headroomOf>];
  const fits = (free: number, freeBefore: number): boolean => free >= 0 || free >= freeBefore;
  if (fits(then.lines, now.lines) && fits(then.bytes, now.bytes)) return undefined;
  const needed = `${now.lines - then.lines} lines and ${now.bytes - then.bytes} bytes are needed`;
  const free = `${Math.max(0, now.lines)} of ${limits.indexLines} lines and ${Math.max(0, now.bytes)} of ${limits.indexBytes} bytes are free`;
  return refused("index-full", `The index is full: ${needed}, ${free}. Shorten, merge or forget topics first.`, now);
}
