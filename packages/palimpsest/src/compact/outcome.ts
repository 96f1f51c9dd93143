// The options and the outcome of a compaction.

import type { CompactionFailure, CompactionRecord } from "../log/payload-compaction.ts";
import type { UsedTokens } from "../session-event.ts";
import type { Spent } from "./summary/model-calls.ts";
import type { SummaryProblem } from "./summary/write-summary.ts";

/** What to compact, and what the summary must keep. */
export interface CompactOptions {
  /** Folds this message and all behind it: what stands before it stays, and stays in the cache. @default all is folded */
  readonly from?: number;
  /** Folds all before this message. @default all is folded */
  readonly upTo?: number;
  /** What the summary is to pay heed to. */
  readonly instructions?: string;
  /** Ends it; the session stays as it was. */
  readonly signal?: AbortSignal;
}

/**
 * What became of a compaction. Unless it is `compacted`, the view has not changed. `retryAtMs`: when one that only saves money is
 * tried again, at the earliest.
 */
export type CompactionOutcome =
  | ({ readonly kind: "compacted"; readonly boundary: number } & CompactionRecord)
  | { readonly kind: "nothing"; readonly cause: NothingCause; readonly why: string; readonly retryAtMs?: number }
  | { readonly kind: "failed"; readonly failure: CompactionFailure; readonly why: string; readonly retryAtMs?: number }
  | { readonly kind: "aborted" };

/** `overtaken`: the conversation changed while the summary was written. `blocked`: by a hook. */
export type NothingCause = "blocked" | "nothing-to-compact" | "too-small" | "overtaken";

/**
 * The effect of a decision. `nothing`: it was to do nothing. `running`: the action has not ended. `held`: a compaction that may wait
 * has to. `declined`: the user or a hook refused, or there was nothing to gain. `failed`: it was tried.
 */
export type DecisionOutcome =
  | { readonly kind: "nothing" | "running" | "done" }
  | { readonly kind: "held" | "declined" | "failed"; readonly because: string };

/** What to do about a request that failed. */
export type Recovery =
  /** Prepare the request again: the conversation is smaller now, or the request asks for a shorter answer. */
  | {
      readonly kind: "retry";
      readonly compaction?: Extract<CompactionOutcome, { kind: "compacted" }>;
      /** How many images and documents are shown as stubs now. @default 0 */
      readonly mediaLeftOut?: number;
    }
  /** It was not too long, or nothing could be done about it: why, and what can be. */
  | { readonly kind: "give-up"; readonly why: string };

export interface EndedCompaction {
  readonly outcome: CompactionOutcome;
  /** By the calls that were made for it. */
  readonly used?: UsedTokens | undefined;
  /** What was spent by calls that led to no compaction. */
  readonly spentInVain?: Spent;
  /** What the model is shown from now on. */
  readonly text?: string;
  /** Why there is no summary, or why its form does not accept it. */
  readonly problem?: SummaryProblem | undefined;
}
