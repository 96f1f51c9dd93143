/**
 * One record of a session's log. It never changes, but its payload can be erased. The hash chain covers payload digests, so it
 * stays valid without the payload.
 */
export interface Entry {
  /** The entry's number: 1, 2, 3, ... without gaps. It never changes. */
  readonly sequence: number;
  /** The number of the entry that this one continues; 0 for the first. A rewind continues an earlier entry and starts a branch. */
  readonly parent: number;
  readonly kind: string;
  /** The version of the payload's shape. Each kind has its own versions. */
  readonly version: number;
  readonly atMs: number;
  /** JSON text; absent if it was erased. */
  readonly payload: string | undefined;
  readonly digest: string;
  /** Covers all fields above except the payload, and the hash of the previous entry. */
  readonly hash: string;
}

/** The content of a new entry. */
export interface Draft {
  readonly kind: string;
  readonly version: number;
  /** JSON text. */
  readonly payload: string;
  /** @default the previous entry */
  readonly parent?: number;
}

/** What the next entry needs to know about the newest entry of a log. */
export type LogHead = Pick<Entry, "sequence" | "hash">;

/** The head of a log without entries. */
export const EMPTY_LOG: LogHead = { sequence: 0, hash: "" };

/** Computes a cryptographic hash as text. The core has no hash function of its own: SHA-256 is passed in. */
export type Digest = (text: string) => string;
