import type { CacheBreak } from "./cache/ledger.ts";
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
  | MailArrived;

/** Takes what happened. A listener that throws is not heard, and nothing is lost by it. */
export type Emit = (newEvent: NewEvent) => void;

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

/** A fork that has asked the model has ended. `failed`, `aborted`: its last request was not answered. */
export interface Forked {
  readonly kind: "forked";
  readonly source: string;
  readonly outcome: "ok" | "failed" | "aborted";
  readonly used: UsedTokens;
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
