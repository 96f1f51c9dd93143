import type { Headroom } from "./limits.ts";
import type { Forgotten } from "./proposal-text.ts";

export interface Written {
  readonly kind: "written";
  readonly slug: string;
  /** As the topic is now; "none" where it was forgotten or renamed. */
  readonly version: string;
  /** The same fact, or one of that name, was forgotten before. */
  readonly forgotten?: Forgotten;
}

/** Not written: it waits in the inbox for the user's yes. */
export interface Proposed {
  readonly kind: "proposed";
  /** Names it in the inbox. */
  readonly slug: string;
  readonly topic: string;
  readonly version: string;
  readonly why: string;
}

/** It says already what it was to say. */
export interface Unchanged {
  readonly kind: "unchanged";
  readonly slug: string;
  readonly version: string;
}

/** It was changed since it was read: `version` is what it is now ("none": it is not there). Read it again. */
export interface Stale {
  readonly kind: "stale";
  readonly slug: string;
  readonly version: string;
}

export type RefusalCause =
  /** A name or a slug that cannot be one. */
  | "bad-name"
  /** A text that is empty, or has characters that are not to be seen. */
  | "bad-text"
  | "too-large"
  | "secret"
  | "index-full"
  | "inbox-full"
  /** The user's own is not touched by others. */
  | "user-written"
  /** The user has forgotten or rejected it before. */
  | "forgotten"
  /** Something lies in its place that is no plain file. */
  | "unsafe-file"
  | "not-there";

/** Nothing was written. */
export interface Refused {
  readonly kind: "refused";
  readonly because: RefusalCause;
  /** The same in words, with the numbers, and what to do. */
  readonly why: string;
  /** What is free in the index. */
  readonly headroom?: Headroom;
}

type Committed<Outcome> = Outcome & { readonly commit: string };

/** What came of a change to the memory. */
export type WriteOutcome = Committed<Written> | Committed<Proposed> | Unchanged | Stale | Refused;

/** What will come of a change that belongs to a batch. */
export type StagedOutcome = Written | Proposed | Unchanged | Stale | Refused;

export function refused(because: RefusalCause, why: string, headroom?: Headroom): Refused {
  return { kind: "refused", because, why, ...(headroom === undefined ? {} : { headroom }) };
}
