// The events that a session emits to its listeners. Types only.

import type { CacheBreak } from "./cost/ledger.ts";
import type { Cause } from "./log/cause.ts";
import type { UsagePayload } from "./log/payload.ts";
import type {
  CompactionReason,
  DegradedReason,
  PartRecord,
  PreparedDropReason,
  SummaryAttempt,
  SummaryRecord,
} from "./log/payload-compaction.ts";
import type { AgentEnded, AgentPlanned, AgentWay } from "./log/payload-turn.ts";

/** Something that happened in a session. The log has it already when a listener gets the event. */
export type SessionEvent = NewEvent & { readonly session: string; readonly atMs: number };

/** An event before the session adds its id and the time. */
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
  | RuleFailed
  | PolicyChanged
  | Recalled
  | CompactionDue
  | CompactionAnnounced
  | CompactionStarted
  | CompactionProgressed
  | CompactionEnded
  | CompactionDegraded
  | SummaryPrepared
  | PreparedSummaryDropped
  | NotesUpdated
  | NotesCompactionDeclined
  | MemoriesExtracted
  | MemoriesWaiting
  | MemoryJudged
  | Dreamed
  | Forked
  | ForkMissedCache
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

/** The tokens that a call used, as in its usage entry. */
export type UsedTokens = Pick<
  UsagePayload,
  "freshTokens" | "cacheReadTokens" | "cacheWriteTokens" | "outputTokens" | "reasoningTokens"
>;

/** The session is about to prepare the first request after a new user message. */
interface TurnStarted {
  readonly kind: "turn-started";
}

/** A response was recorded. */
export interface ResponseRecorded extends UsedTokens {
  readonly kind: "response-recorded";
  /** The source of the call: "main", or the name of the part that made the call. */
  readonly source: string;
  readonly provider: string;
  /** The model in the request. */
  readonly requestModel: string;
  /** The model in the response. */
  readonly model: string;
  readonly responseId: string;
  readonly stop: string;
  /** When the request was prepared. */
  readonly requestedAtMs: number;
  /** Present for the first response of a fork: the tokens that its parent had left in the cache for it. */
  readonly forkExpectedTokens?: number;
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
  /** The model in the request. */
  readonly requestModel: string;
  /** The model in the response. */
  readonly model: string;
  readonly responseId: string;
  /** `kept`: the text stays in view, with a marker. `left-out`: the stream broke, and the request is sent again. */
  readonly view: "kept" | "left-out";
  /** The text before the interruption. This is content: not for logs. */
  readonly text: string;
  /** Names of the tools that the answer had started to call. */
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
  /** The estimated size of the request. */
  readonly sentTokens: number;
  /** The tokens that the server read. The session uses this number as the window from now on. */
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
  /** The reason for the pause. */
  readonly activity: string;
  /** The number of pings in this pause so far. */
  readonly pings: number;
  /** The number of pings in all pauses of this sort, since the session was opened. */
  readonly allPings: number;
  readonly priceUsd: number;
  /** What the next request would cost more with an expired cache. */
  readonly avoidsUsd: number;
  /** The price of all pings of this pause. */
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
  /** How much of the content the model sees. `beginning`: the rest is lost. */
  readonly shown: "all" | "beginning";
}

/** The host removed stored results of old sessions, or tried to. */
interface ResultsCollected {
  readonly kind: "results-collected";
  readonly sessions: number;
  readonly bytes: number;
  /** The number of sessions whose results could not be read or removed. */
  readonly failures: number;
  /** The error of the first failure. */
  readonly error?: string;
}

/** An image or a document is shown as a stub from now on, so that one bad picture does not stop the conversation. */
export interface MediaRefused {
  readonly kind: "media-refused";
  /** The entry that contains the image or document. */
  readonly entry: number;
  readonly media: "image" | "document";
  /** `no-media`: the model accepts no media. */
  readonly problem: "unreadable" | "too-large" | "too-many" | "unsupported" | "no-media";
  /** `check`: the bytes do not match the declared type. `request-size`: the request would exceed the provider's limit in bytes. */
  readonly by: "check" | "provider" | "request-size";
  readonly why: string;
}

/** Old results are shown as stubs from now on, or the provider is asked to leave them out. */
interface ResultsCleared {
  readonly kind: "results-cleared";
  /** The rule of the policy that decided. */
  readonly rule: string;
  readonly by: "session" | "provider";
  readonly trigger: "auto" | "manual";
  /** The number of results; 0 if the provider reports the number later. */
  readonly count: number;
  /** An estimate. */
  readonly tokensFreed: number;
  /** The reason in words and numbers. */
  readonly because: string;
}

/** A rule of the policy threw, or returned something invalid. The request went on without the rule. */
interface RuleFailed {
  readonly kind: "rule-failed";
  readonly rule: string;
  /** The function of the rule: "propose", "when", "range", "check", "plan", ... */
  readonly where: string;
  readonly because: string;
  /** Whether the rule is paused until the session is opened again, after three failures in a row. */
  readonly paused: boolean;
}

/** The session was opened with another policy than the one that made its newest decision. Nothing that is in view changes. */
interface PolicyChanged {
  readonly kind: "policy-changed";
  readonly from: string;
  readonly to: string;
  /** The rules that are new, gone, or have other numbers. */
  readonly rules: readonly string[];
}

/** Stored, cleared or compacted content was recalled: a sign that it was still needed. */
interface Recalled {
  readonly kind: "recalled";
  readonly by: "entry" | "search";
  /** The outcome of the recall. */
  readonly outcome: string;
}

/** A compaction is due, but the setting `compaction` is `ask` and nobody can be asked. Emitted once per turn. */
interface CompactionDue extends CompactionForecast {
  readonly kind: "compaction-due";
}

/** The expected effect of a compaction. Sizes are estimates. */
export interface CompactionForecast {
  readonly reason: Exclude<CompactionReason, "asked">;
  /** The reason in words and numbers. */
  readonly because: string;
  /** The current size of the conversation. */
  readonly tokens: number;
  /** The context window of the model. */
  readonly windowTokens: number;
  /** The expected size after the compaction. */
  readonly expectedTokens: number;
  readonly savesTokensPerRequest: number;
  /** The saving at the price of a cache read; absent if the prices are unknown. */
  readonly savesUsdPerRequest?: number;
  /** `restore`: a restore had undone an earlier compaction of the same items, and the window forces this compaction. */
  readonly overrides?: "restore";
}

/** Announces a compaction before it happens: the first in a session, and a compaction that is delayed. */
export interface CompactionAnnounced extends CompactionForecast {
  readonly kind: "compaction-announced";
  /**
   * `now`: the compaction is about to begin. `after-next-message`: the session was resumed, and the compaction waits for the user's
   * next message. `when-full`: a compaction of the same items was undone, and only a full window will force another.
   */
  readonly when: "now" | "after-next-message" | "when-full";
}

/** A compaction started. */
export interface CompactionStarted extends OfCompaction {
  readonly kind: "compaction-started";
  readonly trigger: "auto" | "manual" | "reactive";
  readonly reason: CompactionReason;
  /** The reason in words and numbers. */
  readonly because: string;
  /** `restore`: a restore had undone an earlier compaction of the same items, and the window forces this compaction. */
  readonly overrides?: "restore";
  readonly tokensBefore: number;
  /** The number of earlier compactions in this session. */
  readonly earlierCompactions: number;
  /** Turns since the previous compaction; absent for the first. */
  readonly turnsSincePrevious?: number;
}

/** The id of a compaction. Each compaction starts once and ends once. */
interface OfCompaction {
  readonly compaction: string;
}

/** A compaction made progress. */
export interface CompactionProgressed extends OfCompaction {
  readonly kind: "compaction-progressed";
  /** The next step, in a word or two. */
  readonly phase: string;
  /** How much of a summary has arrived. Emitted at least every 30 seconds while a model writes. */
  readonly receivedCharacters?: number;
}

/** A compaction ended. */
export interface CompactionEnded extends OfCompaction {
  readonly kind: "compaction-ended";
  readonly reason: CompactionReason;
  readonly outcome:
    | {
        readonly kind: "compacted";
        readonly summary: SummaryRecord;
        readonly tokensBefore: number;
        readonly tokensAfter: number;
        /** The tokens used by all model calls for the compaction; absent if there were none. */
        readonly used?: UsedTokens;
        /** The text that the model sees in place of the compacted messages. This is content: not for logs. */
        readonly text: string;
      }
    /** A hook blocked the compaction, or it would have saved nothing. */
    | {
        readonly kind: "declined";
        readonly reason: string;
        readonly why: string;
        /** The earliest time of the next economic compaction. */
        readonly retryAtMs?: number;
      }
    | {
        readonly kind: "failed";
        readonly failure: SummaryFailure;
        readonly why: string;
        /** The earliest time of the next economic compaction. */
        readonly retryAtMs?: number;
        readonly used?: UsedTokens;
      };
}

/** A compaction took place without a summary although one was wanted, or with a summary that does not meet its form. */
export interface CompactionDegraded extends OfCompaction {
  readonly kind: "compaction-degraded";
  /** `unmet`: the summary is used, but its form does not accept it. */
  readonly summary: "none" | "unmet";
  readonly reason: DegradedReason;
  /** The reason in words and numbers. */
  readonly because: string;
  /** Each method that was tried, and why it failed. */
  readonly attempts: readonly SummaryAttempt[];
}

/** A model wrote a summary that no compaction needs yet. */
export interface SummaryPrepared {
  readonly kind: "summary-prepared";
  /** The entries that it covers. */
  readonly from: number;
  readonly to: number;
  /** The size of the summary. */
  readonly tokens: number;
  /** Why it was written now, in words and numbers. */
  readonly because: string;
  readonly calls: number;
  /** Absent if the prices are unknown. */
  readonly priceUsd?: number;
}

/** A prepared summary will not be used, or could not be written. The price is spent. */
export interface PreparedSummaryDropped {
  readonly kind: "prepared-summary-dropped";
  readonly reason: PreparedDropReason;
  /** The reason in words and numbers. */
  readonly because: string;
  /** Of all model calls for it. Absent if none was answered, or if the prices are unknown. */
  readonly priceUsd?: number;
}

/**
 * Why no model wrote a summary. `no_summary`: no answer passed the checks. `api_error`: the calls failed. `prompt_too_long`: the
 * provider refused the calls as too long, or content that cannot be compacted leaves no room. `aborted`: the user or the host
 * aborted the compaction.
 */
export type SummaryFailure = "no_summary" | "api_error" | "prompt_too_long" | "aborted";

/** An update of the session's notes ended. */
interface NotesUpdated {
  readonly kind: "notes-updated";
  readonly outcome: "updated" | "unchanged" | "failed";
  readonly tokens: number;
  readonly used?: UsedTokens;
}

/** The session's notes could not replace a summary. */
interface NotesCompactionDeclined {
  readonly kind: "notes-compaction-declined";
  readonly reason: string;
}

/**
 * A turn was searched for facts worth remembering. `own-writes`: the model had already written to the memory. `over-budget`: the
 * daily limit or the session's limit was reached.
 */
export interface MemoriesExtracted {
  readonly kind: "memories-extracted";
  readonly outcome: "extracted" | "nothing" | "own-writes" | "over-budget" | "failed";
  /** The number of topics that were written or proposed. */
  readonly count: number;
  /** The reason for `over-budget` and `failed`. */
  readonly why?: string;
  readonly used?: UsedTokens;
}

/** Proposals wait in the memory's inbox for the user's approval. */
interface MemoriesWaiting {
  readonly kind: "memories-waiting";
  readonly count: number;
}

/**
 * The user reviewed a memory: accepted a proposal (`confirmed`), refused it (`rejected`), or changed the text of a model
 * (`corrected`).
 */
export interface MemoryJudged {
  readonly kind: "memory-judged";
  readonly verdict: "confirmed" | "corrected" | "rejected";
}

/** The memory was tidied. `held`: the run would change so much that the user must approve it. `stopped`: the user or host ended it. */
export interface Dreamed {
  readonly kind: "dreamed";
  /** `manual`: the user or the host asked for the run. */
  readonly trigger: "auto" | "manual";
  readonly outcome: "consolidated" | "nothing" | "held" | "failed" | "stopped";
  /** The number of changed topics; with `held`, of topics to change. */
  readonly changed: number;
  /** The reason for `held`, `failed` and `stopped`. It may name topics. This is content: not for logs. */
  readonly why?: string;
  readonly used?: UsedTokens;
}

/** A fork that made requests has ended. `failed`, `aborted`: its last request was not answered. */
interface Forked {
  readonly kind: "forked";
  readonly source: string;
  readonly outcome: "ok" | "failed" | "aborted";
  readonly used: UsedTokens;
}

/**
 * The first request of a fork read less than 95% of what its parent had left in the cache, and more than 2,000 tokens less. The cache
 * had not expired, and the parent had made no decision about its messages since.
 */
export interface ForkMissedCache {
  readonly kind: "fork-missed-cache";
  readonly source: string;
  /** The tokens that the parent's newest answered request had left in the cache. */
  readonly expectedTokens: number;
  readonly readTokens: number;
  /** The share of the expected tokens that was read, in percent. */
  readonly percent: number;
  /** What differs, earliest in the prompt first. `server`: the log shows no difference. */
  readonly causes: readonly Cause[];
  /** Details of the causes: tools, parameters, and reasons for decisions. */
  readonly what: readonly string[];
  /** Where the prompt differs from the parent's, by the provider's report; absent if the provider reports nothing. */
  readonly providerSays?: CacheBreak["providerSays"];
  /** The price of the difference; absent if the prices are unknown. */
  readonly missedUsd?: number;
}

/** Settings from outside the code are invalid. Emitted when the session is opened, and when a source has changed. */
interface SettingsRejected {
  readonly kind: "settings-rejected";
  readonly problems: readonly {
    readonly source: "code" | "environment" | "flags" | "file";
    /** The name of the setting or the variable; empty for a file that cannot be read. */
    readonly name: string;
    /** The problem, and what to write instead. */
    readonly message: string;
  }[];
}

/** The flag service does not answer, or not for every flag. Its last values stay in effect. Emitted once per outage. */
interface FlagsFailed {
  readonly kind: "flags-failed";
  readonly because: string;
  /** The number of last values that are in effect. */
  readonly held: number;
}

/** The flag service answers again. */
interface FlagsRecovered {
  readonly kind: "flags-recovered";
  /** The time since the session noticed the failure. */
  readonly afterMs: number;
}

/** An operation failed several times in a row and is not tried again for some time. */
interface BreakerTripped {
  readonly kind: "breaker-tripped";
  /** `compaction`: compactions that the window needs. `economic-compaction`: compactions that only save money. */
  readonly of: string;
  readonly failures: number;
  /** The latest time of the next attempt. */
  readonly retryAtMs?: number;
}

/** After a compaction, the model sees files, skills, the plan and other host texts again. */
interface FilesRestored {
  readonly kind: "files-restored";
  /** The number of files that are shown again. `parts` has all other content, too. */
  readonly putBack: number;
  readonly skipped: number;
  readonly failed: number;
  /** What survived the compaction, and how much of each part is in view. */
  readonly parts: readonly PartRecord[];
}

/** Hooks ran for an event. */
interface HooksRan {
  readonly kind: "hooks-ran";
  readonly event: string;
  /** The number of hooks. */
  readonly ran: number;
  readonly durationMs: number;
  readonly blocked?: { readonly reason: string; readonly by: string };
  readonly failures: readonly { readonly by: string; readonly kind: string; readonly message: string }[];
  /** Hook messages for the user. This is content: not for logs. */
  readonly messages: readonly string[];
}

/** The status of an agent that this session started has changed, or the state of its plan. */
interface AgentChanged {
  readonly kind: "agent-changed";
  /** The id of the agent. */
  readonly agent: string;
  readonly name?: string;
  readonly way: AgentWay;
  readonly status: "running" | AgentEnded["outcome"];
  /** The state of the agent's plan; absent if it needs no plan. */
  readonly plan?: "required" | AgentPlanned["state"];
}

/** Messages of other sessions have arrived. The model sees them with its next request. */
interface MailArrived {
  readonly kind: "mail-arrived";
  readonly count: number;
  /** The senders, each once. */
  readonly from: readonly string[];
}
