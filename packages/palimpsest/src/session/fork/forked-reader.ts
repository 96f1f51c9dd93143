import type { Entry } from "../../log/entry.ts";
import { namedKind } from "../../log/to-draft.ts";
import { collectBatch } from "../../stores/collect-batch.ts";
import type { LogReader } from "../../stores/store.ts";

const ERASED = namedKind("erased", "");

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
    async head() {
      const { sequence, hash } = await own.head();
      return { sequence: shared + sequence, hash };
    },
    async read(from, to) {
      const before = from <= shared ? await parent.read(from, Math.min(to, shared)) : [];
      const after = to > shared ? await own.read(Math.max(1, from - shared), to - shared) : [];
      return [...before, ...after.map((entry) => renumbered(entry, shared))];
    },
    async newest(kind, below = Number.POSITIVE_INFINITY) {
      const entry = below > shared + 1 ? await own.newest(kind, below - shared) : undefined;
      if (entry !== undefined) return renumbered(entry, shared);
      // What the parent has erased since is erased here, too: its payload is gone, and what is shown for it stands later.
      return kind.startsWith(ERASED) ? parent.newest(kind) : parent.newest(kind, Math.min(below, shared + 1));
    },
    async search(query, { limit, from = 1, to = Number.MAX_SAFE_INTEGER }) {
      const inOwn = { limit, from: Math.max(1, from - shared), to: to - shared };
      const found = to > shared ? await own.search(query, inOwn) : [];
      const hits = found.map((hit) => ({ ...hit, sequence: hit.sequence + shared }));
      const left = limit - hits.length;
      if (left <= 0 || from > shared) return hits;
      return [...hits, ...(await parent.search(query, { limit: left, from, to: Math.min(to, shared) }))];
    },
    readBatch: (options) => collectBatch(reader, options),
    close: () => own.close(),
  };
  return reader;
}

export function renumbered(entry: Entry, by: number): Entry {
  return { ...entry, sequence: entry.sequence + by, parent: entry.parent + by };
}
