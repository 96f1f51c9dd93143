import type { Entry } from "../log/entry.ts";
import { collectBatch } from "../stores/collect-batch.ts";
import type { BatchOptions, EntryBatch, LogReader } from "../stores/store.ts";

/** What a session reads of its log first: most sessions need nothing else. */
export const OPENING: BatchOptions & Required<Pick<BatchOptions, "ranges">> = {
  ranges: [{ from: 1, to: 1 }],
  newest: ["boundary", "restore", "rewind"],
  // More than a compacted session ever has behind its boundary; longer ends are read on in pieces.
  tail: { since: "boundary", limit: 2_048 },
};

/**
 * Reads a log with some entries at hand: entries of a batch are not read again. For one look at the log: the reader does not
 * notice later entries.
 */
export function knownReader(log: LogReader, asked: BatchOptions, { head, entries, newest }: EntryBatch): LogReader {
  const known = new Map(entries.map((entry) => [entry.sequence, entry]));
  const end = Math.min(asked.upTo ?? Number.POSITIVE_INFINITY, head.sequence);
  // Everything from here up to the end is known.
  let tailFrom = end + 1;
  while (asked.tail !== undefined && known.has(tailFrom - 1)) tailFrom--;

  const knownRange = (from: number, to: number): readonly Entry[] | undefined => {
    const range: Entry[] = [];
    for (let sequence = Math.max(1, from); sequence <= Math.min(to, head.sequence); sequence++) {
      const entry = known.get(sequence);
      if (entry === undefined) return undefined;
      range.push(entry);
    }
    return range;
  };
  /** `unknown` if only the log can tell. */
  const knownNewest = (kind: string, below: number, above = 0): Entry | undefined | "unknown" => {
    if (end < head.sequence && below > end + 1) return "unknown";
    const latest = newest.get(kind);
    if (asked.newest?.includes(kind) && (latest === undefined || latest.sequence < below)) return latest;
    const inTail = entries.findLast((one) => one.kind === kind && one.sequence < below && one.sequence >= tailFrom);
    return inTail === undefined && tailFrom > above + 1 ? "unknown" : inTail;
  };

  const reader: LogReader = {
    ...log,
    head: async () => head,
    read: async (from, to) => knownRange(from, to) ?? log.read(from, to),
    async newest(kind, below = Number.POSITIVE_INFINITY, above = 0) {
      const found = knownNewest(kind, below, above);
      return found === "unknown" ? log.newest(kind, below, above) : found;
    },
    async readBatch(wanted) {
      const below = (wanted.upTo ?? Number.POSITIVE_INFINITY) + 1;
      const missing: BatchOptions = {
        ...(wanted.upTo === undefined ? {} : { upTo: wanted.upTo }),
        ranges: wanted.ranges?.filter(({ from, to }) => knownRange(from, to) === undefined) ?? [],
        newest: wanted.newest?.filter((kind) => knownNewest(kind, below) === "unknown") ?? [],
      };
      if (wanted.tail !== undefined) return log.readBatch(wanted);
      const isComplete = missing.ranges?.length === 0 && missing.newest?.length === 0;
      return collectBatch(isComplete ? reader : knownReader(reader, missing, await log.readBatch(missing)), wanted);
    },
  };
  return reader;
}

/** The same log, with these entries at hand. Costs one round trip, or none if all of them are. */
export async function withEntries(log: LogReader, wanted: BatchOptions): Promise<LogReader> {
  const isEmpty = !wanted.ranges?.length && !wanted.newest?.length && wanted.tail === undefined;
  if (isEmpty) return log;
  return knownReader(log, wanted, await log.readBatch(wanted));
}
