/** What stands in requests and replies. Replies may have more fields than are named here. */
export type Metadata = Readonly<Record<string, unknown>>;

/** A session to create. */
export interface SessionDraft {
  /** Give one to be able to try again safely. @default the server chooses one */
  readonly id?: string;
  readonly metadata?: Metadata;
}

/** A session and its state. */
export interface SessionInfo {
  readonly id: string;
  /** The number of the newest entry: `rewind` can go back to it. */
  readonly entries: number;
  /** Watch events after it to see what comes after this answer. */
  readonly newestEventOffset: number;
  /** By the log. `running`: a turn has something to do. `waiting`: its calls wait for people. */
  readonly state: "running" | "waiting" | "idle";
  /** Open questions, counted up to 100. */
  readonly questions: number;
  readonly metadata?: Metadata;
}

/** Where a page begins, and how long it is. */
export interface PageOptions {
  /** `next` of the page before. */
  readonly after?: string;
  readonly limit?: number;
}

/** A page of sessions. */
export interface SessionPage {
  readonly sessions: readonly { readonly id: string; readonly metadata?: Metadata }[];
  readonly next?: string;
}

/** What the user says: text, or blocks with images and documents. */
export type Content = string | readonly ContentBlock[];

/** One part of a message: text, an image or a document. */
export type ContentBlock =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "image" | "document";
      readonly source:
        | { readonly kind: "base64"; readonly mediaType: string; readonly data: string }
        | { readonly kind: "url"; readonly url: string };
    };

/** A request that was stored. */
export interface Accepted {
  /** `known`: a request with this key was accepted before. */
  readonly state: "accepted" | "known";
  /** `set-aside`: the session ended its workers too often, and does not run until `resume`. */
  readonly session: "woken" | "set-aside";
  readonly advice?: string;
}

/** One message of a session, as a user interface shows it. */
export interface Message {
  readonly entry: number;
  readonly atMs: number;
  readonly role: "user" | "assistant";
  readonly origin: "human" | "model" | "tool" | "command" | "host" | "summary";
  readonly blocks: readonly { readonly kind: string; readonly text?: string; readonly [name: string]: unknown }[];
  /** How the model sees it now. */
  readonly shown: "whole" | "stored" | "cleared" | "compacted" | "erased" | "user-only";
}

/** Which messages to list. */
export interface MessagesOptions {
  /** `earlier` of the page behind. */
  readonly before?: number;
  readonly limit?: number;
  readonly attachments?: "with" | "without";
}

/** A page of messages, oldest first. `earlier` is the place of the page before it. */
export interface MessagePage {
  readonly messages: readonly Message[];
  readonly earlier?: number;
}

/** A call of a tool that waits until somebody allows or denies it. */
export interface Question {
  readonly sessionId: string;
  /** Names the question: `session.answer(callId, ...)`. */
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
  readonly reason?: string;
  readonly askedAtMs: number;
  readonly expiresAtMs?: number;
}

/** A page of questions that wait for an answer. */
export interface QuestionPage {
  readonly questions: readonly Question[];
  readonly next?: string;
}

/** The answer to a question of an agent. */
export interface AnswerDraft {
  readonly decision: "allow" | "deny";
  readonly reason?: string;
}

/** What to compact, and what the summary must keep. */
export interface CompactOptions {
  readonly instructions?: string;
  readonly from?: number;
  readonly upTo?: number;
}

/** How a compaction ended. */
export interface Compaction {
  readonly kind: "compacted" | "nothing" | "failed" | "aborted";
  readonly why?: string;
  readonly boundary?: number;
}

/** What fills the context window of a session. */
export interface Context {
  readonly size: {
    readonly tokens: number;
    readonly windowTokens: number;
    readonly percentLeft: number;
    readonly level: "ok" | "warning" | "error" | "blocked";
  };
  readonly accounting: Readonly<Record<string, unknown>>;
}

/** What a session cost, and what cache misses cost. */
export interface Cost {
  readonly responses: number;
  readonly priceUsd: number;
  readonly perfectPriceUsd: number;
  readonly gapUsd: number;
  /** The part of `priceUsd` for tokens that forks did not read from the cache of their parent. */
  readonly forksMissedUsd: number;
  readonly unpricedResponses: number;
  readonly bySource: Readonly<Record<string, unknown>>;
  readonly nextRequest: {
    readonly inputTokens: number;
    readonly cachedTokens: number;
    readonly cache: "warm" | "cold" | "new";
    readonly warmUsd?: number;
    readonly coldUsd?: number;
  };
}

/** An event of a session. Kinds that are named here are those that a user interface needs first; others come, too. */
export type SessionEvent =
  | { readonly kind: "text" | "thinking"; readonly text: string }
  | { readonly kind: "tool-started"; readonly call: ToolCall; readonly input: unknown }
  | { readonly kind: "tool-ended"; readonly call: ToolCall; readonly status: "ok" | "error"; readonly how: string }
  | { readonly kind: "tool-waiting"; readonly question: Omit<Question, "askedAtMs" | "expiresAtMs"> }
  /** Discard the text since the last request: the answer starts over. */
  | { readonly kind: "retry-waiting"; readonly message: string; readonly waitMs: number }
  /** The session has nothing to do, waits for answers to questions, or has no room left in its window. */
  | { readonly kind: "run-ended"; readonly state: "idle" | "waiting" | "blocked"; readonly newestEntry: number }
  /** Events are gone: list the messages. The stream continues with the oldest event that there is. */
  | { readonly kind: "too-old"; readonly oldestOffset: number; readonly newestOffset: number; readonly advice: string }
  | {
      readonly kind:
        | "request-started"
        | "response"
        | "notice"
        | "new-content-taken"
        | "session-event"
        | "events-left-out";
    };

/** A tool call that an agent asks about. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** An event with its place in the stream. */
export interface WatchedEvent {
  /** Pass it as `after` to continue behind this event; absent for `too-old`. */
  readonly offset?: number;
  readonly event: SessionEvent;
}

/** Problem details (RFC 9457). */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** What happened, and what to do. */
  readonly detail: string;
  /** A stable name of the problem, such as `session-busy`. */
  readonly code: string;
  readonly requestId?: string;
  readonly retryAfterMs?: number;
  readonly [name: string]: unknown;
}
