import type { Digest, Entry } from "../../log/entry.ts";

export interface SalvageProblem {
  /**
   * `file`: it could not be read, or only in part. `sqlite`: what SQLite says of it. `page`, `wal-frame`: something on it
   * cannot be read. `payload`: an entry is there, but its payload is not what was appended. `chain`: an entry is whole by
   * itself, but does not continue the one before.
   */
  readonly kind: "file" | "sqlite" | "page" | "wal-frame" | "payload" | "chain";
  /** The page, frame or entry. */
  readonly number?: number;
  readonly detail: string;
}

/** What was found of a log so far. Of an entry that was found twice, once without its payload, the payload was erased. */
export interface Findings {
  readonly entries: Map<number, Entry>;
  /** Rows that are whole but for their payload. */
  readonly withoutPayload: Set<number>;
  /** What the index of kinds points to. */
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
