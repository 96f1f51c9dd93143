import type { Entry } from "../log/entry.ts";
import type { LogReader } from "./store.ts";

/** The number of entries held at once: a few megabytes in ordinary sessions, and still few with large results. */
export const BATCH_ENTRIES = 256;

/** Yields the entries from one number to another, both included, without holding all of them. */
export async function* readEntries(
  log: LogReader,
  from: number,
  to: number,
  batchEntries: number = BATCH_ENTRIES,
): AsyncGenerator<Entry> {
  for (let next = from; next <= to; next += batchEntries) {
    yield* await log.read(next, Math.min(to, next + batchEntries - 1));
  }
}
