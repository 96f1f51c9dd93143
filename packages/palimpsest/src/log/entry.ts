/**
 * One record of a session's log. It never changes. Only its payload can be erased on demand, and because the chain of
 * hashes runs over payload digests, the chain stays whole without it.
 */
export interface Entry {
  /** 1, 2, 3, ... without gaps: the entry's name for as long as the session exists. */
  readonly sequence: number;
  /** The entry this one continues; 0 for the first. Going back to an earlier entry begins a branch there. */
  readonly parent: number;
  readonly kind: string;
  /** Of the payload's shape, counted for each kind by itself. */
  readonly version: number;
  readonly atMs: number;
  /** JSON text; absent once it was erased. */
  readonly payload: string | undefined;
  readonly digest: string;
  /** Covers everything above but the payload, and the hash of the entry before. */
  readonly hash: string;
}

/** What is to become an entry. */
export interface Draft {
  readonly kind: string;
  readonly version: number;
  /** JSON text. */
  readonly payload: string;
  /** @default the entry before it */
  readonly parent?: number;
}

/** The newest entry of a log, as far as the next one has to know it. */
export type LogHead = Pick<Entry, "sequence" | "hash">;

export const EMPTY_LOG: LogHead = { sequence: 0, hash: "" };

/** A fingerprint that cannot be forged, as text. The core hashes nothing itself: SHA-256 comes in from outside. */
export type Digest = (text: string) => string;
