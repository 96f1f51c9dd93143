import type { Digest, Entry } from "../../log/entry.ts";

/** Damage in a log's file: of which kind, and where. */
export interface SalvageProblem {
  /**
   * `file`: unreadable, or readable only in part. `sqlite`: a message of SQLite. `page`, `wal-frame`: something on it
   * is unreadable. `payload`: the entry exists, but its payload is not the appended one. `chain`: the entry is
   * complete, but does not continue the one before.
   */
  readonly kind: "file" | "sqlite" | "page" | "wal-frame" | "payload" | "chain";
  /** The number of the page, frame or entry. */
  readonly number?: number;
  readonly detail: string;
}

/**
 * Everything found of a log so far. If an entry was found both with and without its payload, the payload was erased.
 */
export interface Findings {
  readonly entries: Map<number, Entry>;
  /** Rows that are complete except for their payload. */
  readonly withoutPayload: Set<number>;
  /** Entries that the index of kinds refers to. */
  readonly indexed: Set<number>;
  add(entry: Entry): void;
}

export function createFindings(digest: Digest): Findings {
  const entries = new Map<number, Entry>();
  const withoutPayload = new Set<number>();
  return {
    entries,
    withoutPayload,
    indexed: new Set(),
    add(entry) {
      const before = entries.get(entry.sequence);
      if (entry.payload === undefined) entries.set(entry.sequence, entry);
      else if (before !== undefined) return;
      else if (digest(entry.payload) === entry.digest) entries.set(entry.sequence, entry);
      else withoutPayload.add(entry.sequence);
    },
  };
}
