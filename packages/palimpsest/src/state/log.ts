import type { Entry } from "../log/entry.ts";
import { namedKind } from "../log/to-draft.ts";
import { withEntries } from "../session/known-reader.ts";
import { collectBatch } from "../stores/collect-batch.ts";
import type { LogReader } from "../stores/store.ts";

const ERASED = namedKind("erased", "");

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The log that a fork continues, up to the entry at which it parts from it. */
export interface Base {
  readonly reader: LogReader;
  readonly sequence: number;
}

/**
 * The log of a fork as one: the parent's entries up to where it parts, then its own, numbered on from there. So whatever
 * works on a log (reading a view, going back, recall, search) works on a fork's without knowing of it.
 */
export function forkedReader({ reader: parent, sequence: shared }: Base, own: LogReader): LogReader {
  const reader: LogReader = {
    ...(own.digests && { digests: own.digests }),
    async head() {
      const { sequence, hash } = await own.head();
      return { sequence: shared + sequence, hash };
    },
    async read(from, to) {
      const before = from <= shared ? await parent.read(from, Math.min(to, shared)) : [];
      const after = to > shared ? await own.read(Math.max(1, from - shared), to - shared) : [];
      return [...before, ...after.map((entry) => renumbered(entry, shared))];
    },
    async newest(kind, below = Number.POSITIVE_INFINITY, above = 0) {
      const entry = below > shared + 1 ? await own.newest(kind, below - shared, above - shared) : undefined;
      if (entry !== undefined) return renumbered(entry, shared);
      // What the parent has erased since is erased here, too: its payload is gone, and what is shown for it stands later.
      if (kind.startsWith(ERASED)) return parent.newest(kind);
      return above >= shared ? undefined : parent.newest(kind, Math.min(below, shared + 1), above);
    },
    async search(query, { limit, from = 1, to = Number.MAX_SAFE_INTEGER }) {
      const inOwn = { limit, from: Math.max(1, from - shared), to: to - shared };
      const found = to > shared ? await own.search(query, inOwn) : [];
      const hits = found.map((hit) => ({ ...hit, sequence: hit.sequence + shared }));
      const left = limit - hits.length;
      if (left <= 0 || from > shared) return hits;
      return [...hits, ...(await parent.search(query, { limit: left, from, to: Math.min(to, shared) }))];
    },
    async readBatch(options) {
      // Each log is asked once, both at the same time: what the batch is collected from is at hand then.
      const { ranges = [], newest = [] } = options;
      const erased = newest.filter((kind) => kind.startsWith(ERASED));
      const [ofParent, ofOwn] = await Promise.all([
        withEntries(parent, { ranges: clipped(ranges, 1, shared), newest: erased }),
        withEntries(own, { ranges: clipped(ranges, shared + 1, Number.POSITIVE_INFINITY, shared), newest }),
      ]);
      return collectBatch(forkedReader({ reader: ofParent, sequence: shared }, ofOwn), options);
    },
    close: () => own.close(),
  };
  return reader;
}

/** The parts of ranges that lie between two numbers, counted from behind `before`. */
function clipped(ranges: readonly Range[], first: number, last: number, before = 0): readonly Range[] {
  return ranges
    .map(({ from, to }) => ({ from: Math.max(from, first), to: Math.min(to, last) }))
    .filter(({ from, to }) => from <= to)
    .map(({ from, to }) => ({ from: from - before, to: to - before }));
}

export function renumbered(entry: Entry, by: number): Entry {
  return { ...entry, sequence: entry.sequence + by, parent: entry.parent + by };
}
