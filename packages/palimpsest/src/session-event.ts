import type { CacheBreak } from "./cost/ledger.ts";
import type { UsagePayload } from "./log/payload.ts";
import type { CompactionReason, RehydratedPart } from "./log/payload-compaction.ts";
import type { AgentEnded, AgentPlanned, AgentWay } from "./log/payload-turn.ts";

/** What a call used, as its usage entry says it. */
export type UsedTokens = Pick<
  UsagePayload,
  "freshTokens" | "cacheReadTokens" | "cacheWriteTokens" | "outputTokens" | "reasoningTokens"
>;

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
interface CompactionDue extends CompactionForecast {
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

interface NotesUpdated {
  readonly kind: "notes-updated";
  readonly outcome: "updated" | "unchanged" | "failed";
  readonly tokens: number;
  readonly used?: UsedTokens;
}

/** The session's notes could not stand in for a summary. */
interface NotesCompactionDeclined {
  readonly kind: "notes-compaction-declined";
  readonly reason: string;
}

/** Something failed so often in a row that it is not tried again for now. */
interface BreakerTripped {
  readonly kind: "breaker-tripped";
  /** `compaction`: summaries that the window needs. `economic-compaction`: compactions that only save money. */
  readonly of: string;
  readonly failures: number;
  /** When it is tried again, at the latest. */
  readonly retryAtMs?: number;
}

/** After a compaction, files, skills, the plan and other texts of the host were shown to the model once more. */
interface FilesRestored {
  readonly kind: "files-restored";
  /** Of files; `parts` has everything else, too. */
  readonly putBack: number;
  readonly skipped: number;
  readonly failed: number;
  /** Files, skills, the plan and other texts of the host: what of each is in view. */
  readonly parts: readonly RehydratedPart[];
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
interface MemoriesWaiting {
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
  | AgentChanged
  | MailArrived;

/** Emits an event. Errors of listeners are ignored. */
export type Emit = (newEvent: NewEvent) => void;

/** The first request after a new user message is about to be prepared. */
interface TurnStarted {
  readonly kind: "turn-started";
}

export interface ResponseRecorded extends UsedTokens {
  readonly kind: "response-recorded";
  /** The source of the call: "main", or the name of the part that made it. */
  readonly source: string;
  readonly provider: string;
  /** As it was asked for. */
  readonly requestModel: string;
  /** As the provider names it. */
  readonly model: string;
  readonly responseId: string;
  readonly stop: string;
  /** When the request was prepared. */
  readonly requestedAtMs: number;
  /** Absent if the prices are unknown. */
  readonly priceUsd?: number;
  /** The text of the answer. This is content: not for logs. */
  readonly text: string;
}

/** An answer was stopped before its end. */
export interface AnswerInterrupted {
  readonly kind: "answer-interrupted";
  readonly source: string;
  readonly provider: string;
  /** As it was asked for. */
  readonly requestModel: string;
  /** As the provider names it. */
  readonly model: string;
  readonly responseId: string;
  /** `kept`: the text stays in view, with a marker. `left-out`: the stream broke, and the request is sent again. */
  readonly view: "kept" | "left-out";
  /** What had been said: content. */
  readonly text: string;
  /** Names of the tools that it had started to call. */
  readonly calls: readonly string[];
  /** Absent if nothing had arrived. */
  readonly used?: UsedTokens;
  /** Which counts are estimates; absent if the provider reported all of them. */
  readonly estimated?: "output" | "all";
  /** Absent if nothing had arrived, or if the prices are unknown. */
  readonly priceUsd?: number;
}

/** The server silently read far less than was sent: the model answered only a part of the conversation. */
interface InputTruncated {
  readonly kind: "input-truncated";
  readonly model: string;
  /** What was sent, by estimate. */
  readonly sentTokens: number;
  /** What the server read. The session uses this as the window from now on. */
  readonly readTokens: number;
}

/** The model's window is unknown, so the session uses a guess. Emitted once per model. */
interface ModelGuessed {
  readonly kind: "model-guessed";
  readonly model: string;
  readonly windowTokens: number;
  readonly maxOutputTokens: number;
}

/** A field of `parameters` is not sent as given, because the session sets it. Emitted once per field. */
interface ParameterOverridden {
  readonly kind: "parameter-overridden";
  readonly parameter: string;
  readonly given: unknown;
  /** The value that is sent instead; absent if the field is left out. */
  readonly sent?: unknown;
  /** The option of the session that sets it, if there is one. */
  readonly option?: string;
}

/** A ping kept the prompt in the provider's cache. */
interface CacheWarmed {
  readonly kind: "cache-warmed";
  /** What the session waited for. */
  readonly activity: string;
  /** The number of pings in this pause so far. */
  readonly pings: number;
  readonly priceUsd: number;
  /** Of all pings of this pause. */
  readonly pausePriceUsd: number;
}

/** A cache break: the provider read less from its cache than the previous request left there. */
interface CacheBroken extends Omit<CacheBreak, "atMs"> {
  readonly kind: "cache-broken";
}

/** Oversized content was stored in a file. `alone`: it was too large by itself. `together`: the results of one request were too large together. */
export interface ResultStored {
  readonly kind: "result-stored";
  readonly entry: number;
  readonly tool?: string;
  readonly bytes: number;
  readonly way: "alone" | "together";
}

/** Oversized content could not be stored. */
export interface StoringFailed {
  readonly kind: "storing-failed";
  readonly bytes: number;
  readonly error: string;
  /** What the model sees of it. `beginning`: the rest is lost. */
  readonly shown: "all" | "beginning";
}

/** The host removed stored results of old sessions. Emitted if any were removed, or could not be. */
interface ResultsCollected {
  readonly kind: "results-collected";
  readonly sessions: number;
  readonly bytes: number;
  /** Of how many sessions they could not be looked at or removed. */
  readonly failures: number;
  /** Why, of the first of them. */
  readonly error?: string;
}

/** An image or a document is shown as a stub from now on, so that one bad picture does not stop the conversation. */
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

/** Old results are shown as stubs now. */
interface ResultsCleared {
  readonly kind: "results-cleared";
  readonly way: "by-time" | "by-size" | "payback";
  readonly trigger: "auto" | "manual";
  readonly count: number;
  readonly shedTokens: number;
  /** How much of the cached prompt this invalidates, as an estimate. */
  readonly invalidatedPrefixTokens: number;
}

/** Stored, cleared or compacted content was recalled: a sign that it was still needed. */
interface Recalled {
  readonly kind: "recalled";
  readonly by: "entry" | "search";
  /** The outcome of the recall. */
  readonly outcome: string;
}

/** A fork that made requests has ended. `failed`, `aborted`: its last request was not answered. */
interface Forked {
  readonly kind: "forked";
  readonly source: string;
  readonly outcome: "ok" | "failed" | "aborted";
  readonly used: UsedTokens;
}

/** Settings from outside the code are invalid. Emitted when the session is opened, and when a source has changed. */
interface SettingsRejected {
  readonly kind: "settings-rejected";
  readonly problems: readonly {
    readonly source: "code" | "environment" | "flags" | "file";
    /** Of the setting or the variable; empty for a file that cannot be read. */
    readonly name: string;
    /** What is wrong and what to write instead. */
    readonly message: string;
  }[];
}

/** The flag service does not answer, or not for every flag. Its last values stay in effect. Emitted once per outage. */
interface FlagsFailed {
  readonly kind: "flags-failed";
  readonly because: string;
  /** How many of its last values are in effect. */
  readonly held: number;
}

/** The flag service answers again. */
interface FlagsRecovered {
  readonly kind: "flags-recovered";
  /** Since it was found to fail. */
  readonly afterMs: number;
}

interface HooksRan {
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

/** An agent that this session started has another state, or its plan has: it runs, is idle, has ended, asks for approval. */
interface AgentChanged {
  readonly kind: "agent-changed";
  /** Its id. */
  readonly agent: string;
  readonly name?: string;
  readonly way: AgentWay;
  readonly status: "running" | AgentEnded["outcome"];
  /** What has become of its plan; absent if it needs none. */
  readonly plan?: "required" | AgentPlanned["state"];
}

/** Messages of other sessions have arrived. The model sees them with its next request. */
interface MailArrived {
  readonly kind: "mail-arrived";
  readonly count: number;
  /** The senders, each once. */
  readonly from: readonly string[];
}
