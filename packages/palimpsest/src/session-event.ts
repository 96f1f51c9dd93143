import type { CacheBreak } from "./cost/ledger.ts";
import type { AgentEnded, AgentPlanned, AgentWay } from "./log/agent-payload.ts";
import type {
  BreakerTripped,
  CompactionAnnounced,
  CompactionDue,
  CompactionEnded,
  CompactionProgressed,
  CompactionStarted,
  FilesRestored,
  NotesCompactionDeclined,
  NotesUpdated,
} from "./session-event/compaction-events.ts";
import type { Dreamed, MemoriesExtracted, MemoriesWaiting, MemoryJudged } from "./session-event/memory-events.ts";
import type { UsedTokens } from "./session-event/used-tokens.ts";

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
export interface TurnStarted {
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
export interface InputTruncated {
  readonly kind: "input-truncated";
  readonly model: string;
  /** What was sent, by estimate. */
  readonly sentTokens: number;
  /** What the server read. The session uses this as the window from now on. */
  readonly readTokens: number;
}

/** The model's window is unknown, so the session uses a guess. Emitted once per model. */
export interface ModelGuessed {
  readonly kind: "model-guessed";
  readonly model: string;
  readonly windowTokens: number;
  readonly maxOutputTokens: number;
}

/** A field of `parameters` is not sent as given, because the session sets it. Emitted once per field. */
export interface ParameterOverridden {
  readonly kind: "parameter-overridden";
  readonly parameter: string;
  readonly given: unknown;
  /** The value that is sent instead; absent if the field is left out. */
  readonly sent?: unknown;
  /** The option of the session that sets it, if there is one. */
  readonly option?: string;
}

/** A ping kept the prompt in the provider's cache. */
export interface CacheWarmed {
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
export interface CacheBroken extends Omit<CacheBreak, "atMs"> {
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
export interface ResultsCollected {
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
export interface ResultsCleared {
  readonly kind: "results-cleared";
  readonly way: "by-time" | "by-size" | "payback";
  readonly trigger: "auto" | "manual";
  readonly count: number;
  readonly shedTokens: number;
  /** How much of the cached prompt this invalidates, as an estimate. */
  readonly invalidatedPrefixTokens: number;
}

/** Stored, cleared or compacted content was recalled: a sign that it was still needed. */
export interface Recalled {
  readonly kind: "recalled";
  readonly by: "entry" | "search";
  /** The outcome of the recall. */
  readonly outcome: string;
}

/** A fork that made requests has ended. `failed`, `aborted`: its last request was not answered. */
export interface Forked {
  readonly kind: "forked";
  readonly source: string;
  readonly outcome: "ok" | "failed" | "aborted";
  readonly used: UsedTokens;
}

/** Settings from outside the code are invalid. Emitted when the session is opened, and when a source has changed. */
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

/** The flag service does not answer, or not for every flag. Its last values stay in effect. Emitted once per outage. */
export interface FlagsFailed {
  readonly kind: "flags-failed";
  readonly because: string;
  /** How many of its last values are in effect. */
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

/** An agent that this session started has another state, or its plan has: it runs, is idle, has ended, asks for approval. */
export interface AgentChanged {
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
export interface MailArrived {
  readonly kind: "mail-arrived";
  readonly count: number;
  /** The senders, each once. */
  readonly from: readonly string[];
}
