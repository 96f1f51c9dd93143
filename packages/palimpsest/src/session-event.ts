import type { CacheBreak } from "./cache/ledger.ts";
import type { CompactionReason, RehydratedPart, UsagePayload } from "./log/payload.ts";

/** Something that happened in a session, for whoever wants to know. It has happened: what is told is in the log. */
export type SessionEvent = NewEvent & { readonly session: string; readonly atMs: number };

/** What can happen, by kind. */
export type NewEvent =
  | TurnStarted
  | ResponseRecorded
  | AnswerInterrupted
  | InputTruncated
  | ModelGuessed
  | ParameterOverridden
  | CacheWarmed
  | CacheBroken
  | ResultStored
  | StoringFailed
  | ResultsCollected
  | MediaRefused
  | ResultsCleared
  | Recalled
  | CompactionDue
  | CompactionAnnounced
  | CompactionStarted
  | CompactionProgressed
  | CompactionEnded
  | NotesUpdated
  | NotesCompactionDeclined
  | MemoriesExtracted
  | MemoriesWaiting
  | MemoryJudged
  | Dreamed
  | Forked
  | SettingsRejected
  | FlagsFailed
  | FlagsRecovered
  | BreakerTripped
  | FilesRestored
  | HooksRan
  | MailArrived;

/** Takes what happened. A listener that throws is not heard, and nothing is lost by it. */
export type Emit = (newEvent: NewEvent) => void;

/** What a call used, as its usage entry says it. */
export type UsedTokens = Pick<
  UsagePayload,
  "freshTokens" | "cacheReadTokens" | "cacheWriteTokens" | "outputTokens" | "reasoningTokens"
>;

/** The user has said something, and the first request with it is about to be made. */
export interface TurnStarted {
  readonly kind: "turn-started";
}

export interface ResponseRecorded extends UsedTokens {
  readonly kind: "response-recorded";
  /** Who asked: "main", or what made a call of its own. */
  readonly source: string;
  readonly provider: string;
  /** As it was asked for. */
  readonly requestModel: string;
  /** As the provider names it. */
  readonly model: string;
  readonly responseId: string;
  readonly stop: string;
  /** When the request was made ready. */
  readonly requestedAtMs: number;
  /** Absent where the prices are not known. */
  readonly priceUsd?: number;
  /** What the model said: content. */
  readonly text: string;
}

/** An answer was stopped before it was whole. */
export interface AnswerInterrupted {
  readonly kind: "answer-interrupted";
  readonly source: string;
  readonly provider: string;
  /** As it was asked for. */
  readonly requestModel: string;
  /** As the provider names it. */
  readonly model: string;
  readonly responseId: string;
  /** `kept`: what was said stays in view, with a marker. `left-out`: the stream broke, and the request is sent again. */
  readonly view: "kept" | "left-out";
  /** What had been said: content. */
  readonly text: string;
  /** Names of the tools that it had begun to call. */
  readonly calls: readonly string[];
  /** Absent if nothing had arrived. */
  readonly used?: UsedTokens;
  /** What of it is an estimate; absent if the provider reported all of it. */
  readonly estimated?: "output" | "all";
  /** Absent where nothing had arrived, or the prices are not known. */
  readonly priceUsd?: number;
}

/** The server read far less than it was sent and said nothing: the answer is to a part of the conversation. */
export interface InputTruncated {
  readonly kind: "input-truncated";
  readonly model: string;
  /** What was sent, by estimate. */
  readonly sentTokens: number;
  /** What the server says it read: taken as the window from now on. */
  readonly readTokens: number;
}

/** Nobody knows how large the model's window is: a guess is taken. Told once for each model. */
export interface ModelGuessed {
  readonly kind: "model-guessed";
  readonly model: string;
  readonly windowTokens: number;
  readonly maxOutputTokens: number;
}

/** A field of `parameters` is not sent as it was given, because the session sets it. Told once for each field. */
export interface ParameterOverridden {
  readonly kind: "parameter-overridden";
  readonly parameter: string;
  readonly given: unknown;
  /** What is sent in its place; absent if the field is left out. */
  readonly sent?: unknown;
  /** The option of the session that sets it, if there is one. */
  readonly option?: string;
}

/** A request without an answer has kept the prompt in the provider's cache. */
export interface CacheWarmed {
  readonly kind: "cache-warmed";
  /** What the session waited for. */
  readonly activity: string;
  /** In this pause so far. */
  readonly pings: number;
  readonly priceUsd: number;
  /** Of all pings of this pause. */
  readonly pausePriceUsd: number;
}

/** The provider read less from its cache than it had held. */
export interface CacheBroken extends Omit<CacheBreak, "atMs"> {
  readonly kind: "cache-broken";
}

/** Something that was too large went to a file. `alone`: by itself. `together`: all results of a request were too large. */
export interface ResultStored {
  readonly kind: "result-stored";
  readonly entry: number;
  readonly tool?: string;
  readonly bytes: number;
  readonly way: "alone" | "together";
}

/** Something was too large and could not be stored. */
export interface StoringFailed {
  readonly kind: "storing-failed";
  readonly bytes: number;
  readonly error: string;
  /** What the model sees of it. `beginning`: the rest is lost. */
  readonly shown: "all" | "beginning";
}

/** Stored results of sessions that are over were removed by the host; told if any were, or could not be. */
export interface ResultsCollected {
  readonly kind: "results-collected";
  readonly sessions: number;
  readonly bytes: number;
  /** Of how many sessions they could not be looked at or removed. */
  readonly failures: number;
  /** Why, of the first of them. */
  readonly error?: string;
}

/** An image or a document is shown as a stub from now on: one bad picture must not stop a conversation. */
export interface MediaRefused {
  readonly kind: "media-refused";
  /** The entry that has it. */
  readonly entry: number;
  readonly media: "image" | "document";
  /** `no-media`: the model takes none at all. */
  readonly problem: "unreadable" | "too-large" | "too-many" | "unsupported" | "no-media";
  /** `check`: its bytes are not what it says. `request-size`: the request would have had more bytes than the provider takes. */
  readonly by: "check" | "provider" | "request-size";
  readonly why: string;
}

/** Stale results are shown as stubs now. */
export interface ResultsCleared {
  readonly kind: "results-cleared";
  readonly way: "by-time" | "by-size" | "payback";
  readonly trigger: "auto" | "manual";
  readonly count: number;
  readonly shedTokens: number;
  /** What the provider has to read anew because of it, by estimate. */
  readonly invalidatedPrefixTokens: number;
}

/** Something was asked for that had been stored, cleared or folded: a sign that forgetting hurts. */
export interface Recalled {
  readonly kind: "recalled";
  readonly by: "entry" | "search";
  /** How the recall ended, in the words of its answer. */
  readonly outcome: string;
}

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

/**
 * A turn was looked through for what is worth remembering. `own-writes`: the model had seen to it by itself. `over-budget`: not
 * today, or not in this session.
 */
export interface MemoriesExtracted {
  readonly kind: "memories-extracted";
  readonly outcome: "extracted" | "nothing" | "own-writes" | "over-budget" | "failed";
  /** Topics that were written or proposed. */
  readonly count: number;
  /** Of `over-budget` and `failed`. */
  readonly why?: string;
  readonly used?: UsedTokens;
}

/** So many proposals wait in the memory's inbox for the user's yes. */
export interface MemoriesWaiting {
  readonly kind: "memories-waiting";
  readonly count: number;
}

/**
 * The user has looked at a memory: accepted what was proposed (`confirmed`) or refused it (`rejected`), or has written another
 * text than a model had (`corrected`).
 */
export interface MemoryJudged {
  readonly kind: "memory-judged";
  readonly verdict: "confirmed" | "corrected" | "rejected";
}

/** The memory was gone over. `held`: it would change so much that the user is to say yes. `stopped`: somebody ended it. */
export interface Dreamed {
  readonly kind: "dreamed";
  /** `manual`: somebody asked for it. */
  readonly trigger: "auto" | "manual";
  readonly outcome: "consolidated" | "nothing" | "held" | "failed" | "stopped";
  /** Topics that were changed; of `held`, that would be. */
  readonly changed: number;
  /** Of `held`, `failed` and `stopped`. It may name topics: content. */
  readonly why?: string;
  readonly used?: UsedTokens;
}

/** A fork that has asked the model has ended. `failed`, `aborted`: its last request was not answered. */
export interface Forked {
  readonly kind: "forked";
  readonly source: string;
  readonly outcome: "ok" | "failed" | "aborted";
  readonly used: UsedTokens;
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

/** Settings that were given outside the code and cannot be used: when the session is opened, and when a source has changed. */
export interface SettingsRejected {
  readonly kind: "settings-rejected";
  readonly problems: readonly {
    readonly source: "code" | "environment" | "flags" | "file";
    /** Of the setting or the variable; empty for a file that cannot be read. */
    readonly name: string;
    /** What is wrong and what to write instead. */
    readonly message: string;
  }[];
}

/** The flag service does not answer, or not for every flag. What it said before holds. Told once, until it works again. */
export interface FlagsFailed {
  readonly kind: "flags-failed";
  readonly because: string;
  /** How many of its values are remembered and hold. */
  readonly held: number;
}

/** The flag service answers again. */
export interface FlagsRecovered {
  readonly kind: "flags-recovered";
  /** Since it was found to fail. */
  readonly afterMs: number;
}

export interface HooksRan {
  readonly kind: "hooks-ran";
  readonly event: string;
  /** How many. */
  readonly ran: number;
  readonly durationMs: number;
  readonly blocked?: { readonly reason: string; readonly by: string };
  readonly failures: readonly { readonly by: string; readonly kind: string; readonly message: string }[];
  /** What they want the user to see: content. */
  readonly messages: readonly string[];
}

/** Messages of other sessions have arrived. They are shown to the model before its next request. */
export interface MailArrived {
  readonly kind: "mail-arrived";
  readonly count: number;
  /** Who has written, each once. */
  readonly from: readonly string[];
}
