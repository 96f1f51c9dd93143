import type { Provenance } from "./provenance.ts";

/** A text that stays in view through every compaction, byte for byte. */
export interface PinPayload {
  readonly text: string;
  /** The entry that the text was copied from, if any. */
  readonly of?: number;
  /** Where the text comes from. @default the host, for a text of its own */
  readonly provenance?: Provenance;
}

export interface UnpinPayload {
  /** The `pin` entry to remove. */
  readonly of: number;
}

/** One version of the session's notes. */
export interface NotesPayload {
  readonly markdown: string;
  /** The newest entry that the notes cover. */
  readonly coveredTo: number;
}

/** A reader has processed the log up to an entry. */
export interface MarkPayload {
  /** The name of the reader. */
  readonly name: string;
  readonly coveredTo: number;
}

/**
 * The entries behind this one were appended under a key: an append with the same key appends nothing. Its kind is `key:` and
 * the key's digest, so that the newest entry of that kind is found without reading the log.
 */
export interface KeyPayload {
  readonly key: string;
  /** How many entries of content stand directly behind it. */
  readonly entries: number;
}
