import type { LedgerTotals } from "../cache/ledger.ts";
import type { ToolCall } from "../log/block.ts";
import type { ResponseContent, ShownPart } from "../providers/provider.ts";
import type { ProviderError, ProviderFailure } from "../providers/provider-error.ts";
import type { RecordedResponse } from "../session/recorded-response.ts";
import type { SessionEvent } from "../session-event.ts";

/** What happens in a turn, in order. Only what `response` and `tool-ended` tell is in the log. */
export type QueryEvent =
  | RequestStarted
  | ShownPart
  | RetryWaiting
  | ResponseArrived
  | ToolStarted
  | ToolEnded
  | NewContentTaken
  | QueryNotice
  /** Whatever the session tells its listeners: compactions, results stored and cleared, cache breaks, hooks. */
  | { readonly kind: "session-event"; readonly event: SessionEvent }
  | { readonly kind: "turn-ended"; readonly outcome: QueryOutcome };

/** A request is about to be sent: once more after a failure, or for the first time. */
export interface RequestStarted {
  readonly kind: "request-started";
  /** 1 for the first. */
  readonly tries: number;
}

/** The call failed and is made again after a while. What the stream had brought is void: the answer begins anew. */
export interface RetryWaiting {
  readonly kind: "retry-waiting";
  readonly reason: ProviderFailure["kind"];
  readonly message: string;
  readonly waitMs: number;
  /** Calls so far. */
  readonly tries: number;
}

/** A whole response is in the log. */
export interface ResponseArrived {
  readonly kind: "response";
  readonly response: RecordedResponse;
}

export interface ToolStarted {
  readonly kind: "tool-started";
  readonly call: ToolCall;
  /** What it is run with: the call's, as its schema and the hooks have changed it. */
  readonly input: unknown;
}

/** The call has its result. */
export interface ToolEnded {
  readonly kind: "tool-ended";
  readonly call: ToolCall;
  readonly status: "ok" | "error";
  readonly how: ToolEnding;
}

/**
 * `not-run`: the turn was over before, or the call was not whole. `unknown`: it may have run when a process before this one
 * ended.
 */
export type ToolEnding =
  | "ran"
  | "threw"
  | "timed-out"
  | "aborted"
  | "denied"
  | "invalid-input"
  | "unknown-tool"
  | "not-run"
  | "unknown";

/** Messages that had come meanwhile are in the log now, and part of the next request. */
export interface NewContentTaken {
  readonly kind: "new-content-taken";
  readonly count: number;
}

/** Something the user may want to know. */
export interface QueryNotice {
  readonly kind: "notice";
  readonly text: string;
}

/** How a turn ended. Whatever it is, the session can be gone on with. */
export type QueryOutcome = TurnEnd & {
  /** Responses that were recorded. */
  readonly rounds: number;
  /** What the session has spent meanwhile, forks and compactions included. */
  readonly usage: LedgerTotals;
};

export type TurnEnd =
  /** The model has said what it had to say. `stop` is `length` if it was cut off once too often. */
  | { readonly kind: "done"; readonly text: string; readonly stop: ResponseContent["stop"] }
  /** The model, or the provider in its name, declined to answer. */
  | { readonly kind: "refused"; readonly text: string }
  | { readonly kind: "aborted" }
  /** There is no room for an answer. `advice` says what can be done, with the numbers. */
  | {
      readonly kind: "window-full";
      readonly sizeTokens: number;
      readonly blockingTokens: number;
      readonly windowTokens: number;
      readonly advice: string;
    }
  /** `maxRounds` is reached; results are in the log, and a query without a prompt goes on from here. */
  | { readonly kind: "rounds-used-up" }
  /** The provider does not answer, or not to this. A query without a prompt tries again. */
  | ({ readonly kind: "failed" } & FailedSending);

export interface FailedSending {
  readonly error: ProviderError;
  readonly tries: number;
  readonly waitedMs: number;
  /** For a request that is too long: why it could not be made shorter. */
  readonly advice?: string;
}
