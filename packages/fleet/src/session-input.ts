import type { AddedItem, SessionInbox } from "@palimpsest/coordination";
import type { NewContent, Session } from "palimpsest";
import type { AgentEnded } from "palimpsest/inspect";

/** What a session can be given by its inbox. All of it is JSON. */
export type SessionInput =
  | {
      readonly kind: "content";
      readonly content: NewContent | readonly NewContent[];
      /** Gets a report when the turn that answers the content is over. @default nobody does */
      readonly replyTo?: ReplyTo;
    }
  /** Ends the turn that answers what was said before. */
  | ({ readonly kind: "stop" } & SaidBy)
  /** An agent of the session is done. */
  | AgentReport;

/** A line of the ledger for calls that an agent has made. */
export type AgentUsage = Parameters<Session["ledger"]["enter"]>[0];

/** The result of an agent, for the session that started it. */
export interface AgentReport {
  readonly kind: "report";
  readonly agent: string;
  readonly outcome: AgentEnded["outcome"];
  readonly text: string;
  /** What the agent has used, together with its own agents, by model: for the ledger of whoever started it. @default nothing */
  readonly used?: readonly AgentUsage[];
}

/** Who wants it and why, for people and for the model. */
export interface SaidBy {
  readonly by?: string;
  readonly reason?: string;
}

/** The session that started an agent, and the agent's id in its log. */
export interface ReplyTo {
  readonly session: string;
  readonly agent: string;
}

/** A message of the user for a session. A repeated `key` adds it once. */
export interface Said {
  /** The idempotency key: what is said twice under one key is said once. */
  readonly key: string;
  readonly content: NewContent | readonly NewContent[];
  /** The W3C trace context of the request that brought it: the turn belongs to its trace. @default a new trace */
  readonly traceparent?: string;
}

/** Says something to a session, wherever it runs. It is stored when this resolves, and the session is woken. */
export function say(
  inbox: Pick<SessionInbox, "add">,
  session: string,
  { key, content, traceparent }: Said,
): Promise<AddedItem> {
  return addInput(inbox, session, key, { kind: "content", content }, traceparent);
}

export interface StopRequest extends SaidBy, Pick<Said, "key" | "traceparent"> {}

/**
 * Ends the turn that answers what was said to the session so far, wherever it runs: also in the middle of a call, within a second. What is
 * said after that is answered.
 */
export function stop(
  inbox: Pick<SessionInbox, "add">,
  session: string,
  { key, traceparent, ...said }: StopRequest,
): Promise<AddedItem> {
  return addInput(inbox, session, key, { kind: "stop", ...said }, traceparent);
}

export function addInput(
  inbox: Pick<SessionInbox, "add">,
  session: string,
  key: string,
  payload: SessionInput,
  traceparent?: string,
): Promise<AddedItem> {
  return inbox.add(session, { key, payload, traceparent });
}
