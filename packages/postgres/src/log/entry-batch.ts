import type { BatchOptions, Entry, EntryBatch, LogHead } from "palimpsest/store-parts";
import type { Row } from "../database.ts";
import { ENTRY_COLUMNS, toEntry, toSequence } from "./entry-row.ts";

/** What is selected of a batch: its head is in every row. */
export const BATCH_COLUMNS: string = `head_sequence, head_hash, ${ENTRY_COLUMNS}`;

/** The values of a batch, in the order of the parameters of `read_batch`. */
export function batchValues({ upTo, ranges = [], newest = [], tail }: BatchOptions): readonly unknown[] {
  return [
    upTo === undefined ? null : toSequence(upTo),
    ranges.map(({ from }) => Math.max(1, toSequence(from))),
    ranges.map(({ to }) => toSequence(Math.floor(to))),
    newest,
    tail?.since ?? null,
    toSequence(tail?.limit ?? 0),
  ];
}

/** The entries of the rows that `read_batch` returned: without any, there is one row with the head alone. */
export function batchEntries(rows: readonly Row[]): readonly Entry[] {
  return rows.filter((row) => row["sequence"] !== null).map(toEntry);
}

/** What was read of a log, by the entries that came for these options. */
export function toBatch(
  head: LogHead,
  read: readonly Entry[],
  { upTo = Number.POSITIVE_INFINITY, ranges = [], newest = [], tail }: BatchOptions,
): EntryBatch {
  const end = Math.min(upTo, head.sequence);
  const entries = read.toSorted((a, b) => a.sequence - b.sequence);
  // The newest of a kind is there if there is one at all, so it is the newest in the batch.
  const found = newest.flatMap((kind): [string, Entry][] => {
    const entry = entries.findLast((one) => one.kind === kind);
    return entry === undefined ? [] : [[kind, entry]];
  });
  const since = tail && (entries.findLast(({ kind }) => kind === tail.since)?.sequence ?? 1);
  const tailFrom = tail === undefined ? end + 1 : Math.max(since ?? 1, end - tail.limit + 1);
  const isWanted = ({ sequence }: Entry): boolean =>
    sequence >= tailFrom || ranges.some(({ from, to }) => sequence >= from && sequence <= to);
  return { head, entries: entries.filter(isWanted), newest: new Map(found) };
}
