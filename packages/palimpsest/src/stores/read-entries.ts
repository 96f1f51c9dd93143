import type { Entry } from "../log/entry.ts";
import type { LogReader } from "./store.ts";

/** How many entries are held at once: a few megabytes of ordinary sessions, few enough for large results. */
export const BATCH_ENTRIES = 256;

/** The entries from one number to another, both included, without holding all of them. */
export async function* readEntries(log: LogReader, from: number, to: number): AsyncGenerator<Entry> {
  for (let next = from; next <= to; next += BATCH_ENTRIES) {
    yield* await log.read(next, Math.min(to, next + BATCH_ENTRIES - 1));
  }
}
