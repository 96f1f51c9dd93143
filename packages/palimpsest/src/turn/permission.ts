// Decides whether a tool call may run. Also the events and outcomes of a turn.

import type { LedgerTotals } from "../cost/ledger.ts";
import type { ToolCall } from "../log/block.ts";
import type {
  ProviderError,
  ProviderFailure,
  RequestWaiting,
  ResponseContent,
  ShownPart,
} from "../providers/provider.ts";
import type { Session } from "../session/session.ts";
import type { SessionEvent } from "../session-event.ts";
import type { RecordedResponse } from "../state/responses.ts";

/** Decides whether a call may run. An exception counts as a refusal. */
export type Permission = (
  wanted: WantedCall,
  context: PermissionContext,
) => PermissionAnswer | Promise<PermissionAnswer>;

/** The session that a tool call belongs to, and the signal that cancels the question. */
export interface PermissionContext {
  /** The session whose model makes the call: the host's own, or an agent's. */
  readonly sessionId: string;
  readonly signal: AbortSignal;
}

/** A tool call that needs permission. `input` is the input that the tool would run with. */
export interface WantedCall {
  readonly call: ToolCall;
  readonly input: unknown;
}

/** `ask`: hooks decide first, then the host. */
type PermissionAnswer = PermissionDecision | { readonly kind: "ask" };

/** Whether a tool call runs. */
export type PermissionDecision =
  | { readonly kind: "allow" }
  | { readonly kind: "deny"; readonly reason: string }
  /** The answer comes later, through `session.turn.decide`. The turn ends with the call open, and no process waits. */
  | { readonly kind: "later"; readonly reason?: string };

/** A question for permission that waits for an answer. `session.turn.decide(callId, ...)` answers it. */
export interface OpenQuestion {
  readonly sessionId: string;
  readonly callId: string;
  /** The name of the tool. */
  readonly tool: string;
  /** The input that the tool would run with, as JSON. */
  readonly input: unknown;
  /** Why permission is needed. */
  readonly reason?: string;
}

/** Who decides about tool calls. */
export interface PermissionOptions {
  readonly session: Pick<Session, "id" | "events">;
  /** @default everything is allowed */
  readonly permission?: Permission;
  /** Asks the user. @default calls that need an answer are denied */
  readonly askHost?: (
    wanted: WantedCall,
    context: PermissionContext,
  ) => PermissionDecision | Promise<PermissionDecision>;
  readonly signal: AbortSignal;
}

const ALLOW: PermissionDecision = { kind: "allow" };

/** Decides about a call: the permission function first, then hooks, then the host. */
export async function decidePermission(
  wanted: WantedCall,
  { session, permission = () => ALLOW, askHost, signal }: PermissionOptions,
): Promise<PermissionDecision> {
  const context: PermissionContext = { sessionId: session.id, signal };
  try {
    const answer = await permission(wanted, context);
    if (answer.kind !== "ask") return answer;
    const { call, input } = wanted;
    const told = { sessionId: session.id, toolName: call.name, toolInput: input, callId: call.id };
    const { blocked, outputs } = await session.events.runHooks("PermissionRequest", told, { signal });
    if (blocked !== undefined) return { kind: "deny", reason: blocked.reason };
    const decisions = outputs.map(({ output }) => output.decision);
    if (decisions.includes("deny")) return { kind: "deny", reason: "a rule of the user forbids it" };
    if (decisions.includes("allow")) return ALLOW;
    return (await askHost?.(wanted, context)) ?? { kind: "deny", reason: "nobody is here to allow it" };
  } catch (error) {
    return { kind: "deny", reason: `it could not be decided: ${messageOf(error)}` };
  }
}

/** Returns the message of an error, or of any other thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Events of a turn, in order. Only the contents of `response` and `tool-ended` are in the log. */
export type QueryEvent =
  | RequestStarted
  | RequestWaiting
  | ShownPart
  | RetryWaiting
  | ResponseArrived
  | ToolStarted
  | ToolEnded
  | ToolWaiting
  | NewContentTaken
  | QueryNotice
  /** Any event of the session: compactions, stored and cleared results, cache breaks, hooks. */
  | { readonly kind: "session-event"; readonly event: SessionEvent }
  | { readonly kind: "turn-ended"; readonly outcome: QueryOutcome };

/** A request is about to be sent, for the first time or again after a failure. */
interface RequestStarted {
  readonly kind: "request-started";
  /** The number of this attempt, starting at 1. */
  readonly tries: number;
}

/** The request failed and is sent again after a wait. Discard the parts received so far: the answer starts over. */
interface RetryWaiting {
  readonly kind: "retry-waiting";
  readonly reason: ProviderFailure["kind"];
  readonly message: string;
  readonly waitMs: number;
  /** The number of attempts so far. */
  readonly tries: number;
}

/** A complete response is in the log. */
interface ResponseArrived {
  readonly kind: "response";
  readonly response: RecordedResponse;
}

/** A tool starts to run. */
interface ToolStarted {
  readonly kind: "tool-started";
  readonly call: ToolCall;
  /** The input that the tool runs with: the call's input after changes by its schema and hooks. */
  readonly input: unknown;
}

/** The tool call has a result. */
interface ToolEnded {
  readonly kind: "tool-ended";
  readonly call: ToolCall;
  readonly status: "ok" | "error";
  readonly how: ToolEnding;
}

/** A call waits for permission, which is given or denied later. */
interface ToolWaiting {
  readonly kind: "tool-waiting";
  readonly question: OpenQuestion;
}

/**
 * How a tool call ended. `not-run`: the turn had ended, or the call was incomplete. `unknown`: an earlier process ended
 * while the call was open, so the call may have run.
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

/** Messages that arrived during the turn are now in the log and part of the next request. */
interface NewContentTaken {
  readonly kind: "new-content-taken";
  readonly count: number;
}

/** A notice for the user. */
interface QueryNotice {
  readonly kind: "notice";
  readonly text: string;
}

/** The end of a turn, with its responses and usage. The session can continue after any outcome. */
export type QueryOutcome = TurnEnd & {
  /** The number of recorded responses. */
  readonly rounds: number;
  /** The usage of the session during the turn, forks and compactions included. */
  readonly usage: LedgerTotals;
};

/** How a turn ended. */
export type TurnEnd =
  /** The model has finished its answer. `stop` is `length` if the answer was cut too often. */
  | { readonly kind: "done"; readonly text: string; readonly stop: ResponseContent["stop"] }
  /** The model, or the provider on its behalf, declined to answer. */
  | { readonly kind: "refused"; readonly text: string }
  /** The turn was stopped. Its open calls are answered. */
  | { readonly kind: "aborted" }
  /**
   * This process may not continue the turn, because the session was closed or `left` was aborted. It has written
   * nothing since. Any process can continue the turn from the log.
   */
  | { readonly kind: "left" }
  /** All open calls wait for permission. The turn continues after `session.turn.decide` answers a question. */
  | { readonly kind: "waiting"; readonly questions: readonly OpenQuestion[] }
  /** The window has no room for an answer. `advice` describes a solution, with the numbers. */
  | {
      readonly kind: "window-full";
      readonly sizeTokens: number;
      readonly hardLimitTokens: number;
      readonly windowTokens: number;
      readonly advice: string;
    }
  /** `maxRounds` is reached. The results are in the log, and a query without a prompt continues the turn. */
  | { readonly kind: "rounds-used-up" }
  /** The provider does not answer, or refuses the request. A query without a prompt sends the request again. */
  | ({ readonly kind: "failed" } & FailedSending);

/** A request that failed after all attempts. */
export interface FailedSending {
  readonly error: ProviderError;
  readonly tries: number;
  readonly waitedMs: number;
  /** Why a request that is too long could not be shortened. */
  readonly advice?: string;
}
