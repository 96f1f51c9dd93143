import type { Headroom } from "./limits.ts";
import type { Forgotten } from "./proposal-text.ts";

/** A topic that was written, with its new version. */
export interface Written {
  readonly kind: "written";
  readonly slug: string;
  /** The topic's current version; "none" if it was forgotten or renamed. */
  readonly version: string;
  /** The same fact, or one of that name, was forgotten before. */
  readonly forgotten?: Forgotten;
}

/** Not written: it waits in the inbox for the user's approval. */
export interface Proposed {
  readonly kind: "proposed";
  /** Its name in the inbox. */
  readonly slug: string;
  readonly topic: string;
  readonly version: string;
  readonly why: string;
}

/** The topic already has this content. */
export interface Unchanged {
  readonly kind: "unchanged";
  readonly slug: string;
  readonly version: string;
}

/** The topic was changed since it was read: `version` is the current one ("none": it is gone). Read it again. */
export interface Stale {
  readonly kind: "stale";
  readonly slug: string;
  readonly version: string;
}

/** Why a topic was not written. */
export type RefusalCause =
  /** An invalid name or slug. */
  | "bad-name"
  /** A text that is empty, or has invisible characters. */
  | "bad-text"
  | "too-large"
  | "secret"
  | "index-full"
  | "inbox-full"
  /** Others cannot change the user's own topic. */
  | "user-written"
  /** The user has forgotten or rejected it before. */
  | "forgotten"
  /** Its place is taken by something that is not a plain file. */
  | "unsafe-file"
  | "not-there";

/** Nothing was written. */
export interface Refused {
  readonly kind: "refused";
  readonly because: RefusalCause;
  /** The same in words, with the numbers and the next step. */
  readonly why: string;
  /** The free space in the index. */
  readonly headroom?: Headroom;
}

type Committed<Outcome> = Outcome & { readonly commit: string };

/** The outcome of a change to the memory. */
export type WriteOutcome = Committed<Written> | Committed<Proposed> | Unchanged | Stale | Refused;

/** The expected outcome of a change within a batch. */
export type StagedOutcome = Written | Proposed | Unchanged | Stale | Refused;

export function refused(because: RefusalCause, why: string, headroom?: Headroom): Refused {
  return { kind: "refused", because, why, ...(headroom === undefined ? {} : { headroom }) };
}
