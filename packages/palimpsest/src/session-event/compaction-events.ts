import type { CompactionReason, RehydratedPart } from "../log/payload-compaction.ts";
import type { UsedTokens } from "./used-tokens.ts";

/** What a compaction is expected to do. Sizes are estimates. */
export interface CompactionForecast {
  readonly reason: Exclude<CompactionReason, "asked">;
  /** In words and figures. */
  readonly why: string;
  /** Of the conversation as it is. */
  readonly tokens: number;
  /** Of the conversation as it would be. */
  readonly expectedTokens: number;
  readonly savesTokensPerRequest: number;
  /** At the price of a read from the cache; absent where the prices are not known. */
  readonly savesUsdPerRequest?: number;
  /** A restore had taken back an earlier compaction of the same items; the window forces this one. */
  readonly overrides?: "restore";
}

/** A compaction is due and was left to the host: `compaction.auto` is `ask`, and nobody is there to be asked. Once in a turn. */
export interface CompactionDue extends CompactionForecast {
  readonly kind: "compaction-due";
}

/** The user is told of a compaction before it is made: of the first in a session, and of one that is held. */
export interface CompactionAnnounced extends CompactionForecast {
  readonly kind: "compaction-announced";
  /**
   * `now`: it is about to be made. `after-next-message`: the session was resumed, and the compaction waits until the user has spoken
   * again. `when-full`: a compaction of the same items was taken back, and only the window will force another.
   */
  readonly when: "now" | "after-next-message" | "when-full";
}

/** Names one compaction: begun once, ended once, whatever happens between. */
interface OfCompaction {
  readonly compaction: string;
}

export interface CompactionStarted extends OfCompaction {
  readonly kind: "compaction-started";
  readonly trigger: "auto" | "manual" | "reactive";
  readonly reason: CompactionReason;
  /** A restore had taken back an earlier compaction of the same items; the window forces this one. */
  readonly overrides?: "restore";
  readonly tokensBefore: number;
  /** How many compactions this session has had before it. */
  readonly earlierCompactions: number;
  /** Turns since the newest of them; absent for the first. */
  readonly turnsSincePrevious?: number;
}

export interface CompactionProgressed extends OfCompaction {
  readonly kind: "compaction-progressed";
  /** What it is about to do, in a word or two. */
  readonly phase: string;
  /** How much of a summary has arrived. Told at least every half minute while a model writes. */
  readonly receivedCharacters?: number;
}

export interface CompactionEnded extends OfCompaction {
  readonly kind: "compaction-ended";
  readonly reason: CompactionReason;
  readonly outcome:
    | {
        readonly kind: "compacted";
        /** Where the summary is from. */
        readonly rung: string;
        readonly tokensBefore: number;
        readonly tokensAfter: number;
        /** Of the calls that made it, together; absent if none was needed. */
        readonly used?: UsedTokens;
        /** Why no model's summary was to be had, if the conversation was compacted without one. */
        readonly withoutSummary?: SummaryFailure;
        /** What the model is shown in place of what was folded: content. */
        readonly summary: string;
      }
    /** A hook blocked it, or there was nothing to gain. */
    | {
        readonly kind: "declined";
        readonly reason: string;
        readonly why: string;
        /** When an economic compaction is tried again, at the earliest. */
        readonly retryAtMs?: number;
      }
    | {
        readonly kind: "failed";
        readonly failure: SummaryFailure;
        readonly why: string;
        /** When an economic compaction is tried again, at the earliest. */
        readonly retryAtMs?: number;
        readonly used?: UsedTokens;
      };
}

/**
 * `no_summary`: no model gave a summary that passes the checks. `api_error`: the calls failed. `prompt_too_long`: the provider
 * refused them as too long, or what cannot be compacted leaves no room. `aborted`: by the user or the host.
 */
export type SummaryFailure = "no_summary" | "api_error" | "prompt_too_long" | "aborted";

export interface NotesUpdated {
  readonly kind: "notes-updated";
  readonly outcome: "updated" | "unchanged" | "failed";
  readonly tokens: number;
  readonly used?: UsedTokens;
}

/** The session's notes could not stand in for a summary. */
export interface NotesCompactionDeclined {
  readonly kind: "notes-compaction-declined";
  readonly reason: string;
}

/** Something failed so often in a row that it is not tried again for now. */
export interface BreakerTripped {
  readonly kind: "breaker-tripped";
  /** `compaction`: summaries that the window needs. `economic-compaction`: compactions that only save money. */
  readonly of: string;
  readonly failures: number;
  /** When it is tried again, at the latest. */
  readonly retryAtMs?: number;
}

/** After a compaction, files, skills, the plan and other texts of the host were shown to the model once more. */
export interface FilesRestored {
  readonly kind: "files-restored";
  /** Of files; `parts` has everything else, too. */
  readonly putBack: number;
  readonly skipped: number;
  readonly failed: number;
  /** Files, skills, the plan and other texts of the host: what of each is in view. */
  readonly parts: readonly RehydratedPart[];
}
