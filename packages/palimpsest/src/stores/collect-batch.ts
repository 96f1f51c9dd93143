import type { Entry } from "../log/entry.ts";
import type { BatchOptions, EntryBatch, LogReader } from "./store.ts";

/** Reads a batch piece by piece: for logs in which a read costs no round trip. */
export async function collectBatch(
  log: Pick<LogReader, "head" | "read" | "newest">,
  { upTo = Number.POSITIVE_INFINITY, ranges = [], newest = [], tail }: BatchOptions,
): Promise<EntryBatch> {
  const head = await log.head();
  const end = Math.min(upTo, head.sequence);
  const entries = new Map<number, Entry>();
  const read = async (from: number, to: number): Promise<void> => {
    for (const entry of await log.read(from, Math.min(to, end))) entries.set(entry.sequence, entry);
  };
  for (const { from, to } of ranges) await read(from, to);
  if (tail !== undefined) {
    const since = await log.newest(tail.since, end + 1);
    await read(Math.max(since?.sequence ?? 1, end - tail.limit + 1), end);
  }
  const found = new Map<string, Entry>();
  for (const kind of newest) {
    const entry = await log.newest(kind, end + 1);
    if (entry !== undefined) found.set(kind, entry);
  }
  return { head, entries: [...entries.values()].sort((a, b) => a.sequence - b.sequence), newest: found };
}
