import { hash } from "node:crypto";

/** A message between agents: text, a result, or a step in the life of an agent. */
export type MessageKind =
  | "message"
  | "result"
  | "shutdown_request"
  | "shutdown_response"
  | "plan_approval_request"
  | "plan_approval_response";

/** A message to send. */
export interface MessageDraft {
  /** The sender's own id, valid forever: a message that is sent again under the same id is not delivered again. */
  readonly id: string;
  /** A name of the team, or `*` for all others in it. */
  readonly to: string;
  /** @default "message" */
  readonly kind?: MessageKind;
  readonly body: string;
  /** A short summary for people. */
  readonly summary?: string;
  /** The id of the message that this one answers. */
  readonly inReplyTo?: string;
}

/** A message that was sent. */
export interface Message {
  /** Unique for the receiver: identifies a message that is already in its log. */
  readonly key: string;
  readonly id: string;
  /** Set by the sending mailbox, never by the message. */
  readonly from: AgentSender;
  readonly kind: MessageKind;
  readonly body: string;
  readonly summary?: string;
  readonly inReplyTo?: string;
  readonly sentAtMs: number;
}

/** An agent that is registered in the same team. */
export interface AgentSender {
  readonly kind: "agent";
  readonly team: string;
  readonly name: string;
  readonly session: string;
}

/** Why a message was refused. */
export type Refusal =
  | "bad-id"
  | "not-well-formed"
  | "too-large"
  | "no-such-address"
  | "mailbox-full"
  /** The id belongs to another message. */
  | "id-taken";

/** A message that was refused, with the reason in words. */
export interface Refused {
  readonly kind: "refused";
  readonly because: Refusal;
  readonly why: string;
}

/** How large a message may be, and how many may wait in a mailbox. */
export interface MailLimits {
  readonly maxMessageBytes: number;
  readonly maxWaiting: number;
}

/** The limits, if nothing else is set. */
export const DEFAULT_MAIL_LIMITS: MailLimits = {
  // Some 65,000 tokens: larger content is no message, and the receiver would have to store it as a file.
  maxMessageBytes: 262_144,
  // An agent that sends in a loop reaches this in minutes; a working team does not.
  maxWaiting: 10_000,
};

/** How many messages `receive` returns, unless it is told otherwise. */
export const DEFAULT_RECEIVE_LIMIT = 100;

/** No `*`, no `:` and no `/`: a name must differ from "all", from `uds:<path>` and from a path. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;
const PLAIN = /^[^\s/\p{Cc}]{1,200}$/u;

/** Names of teams and agents. */
export function isName(name: string): boolean {
  return NAME.test(name);
}

/** No spaces, no control characters, no `/`. */
export function isId(id: string): boolean {
  return PLAIN.test(id) && id.isWellFormed();
}

/** And no `:`, so that the keys of outside messages differ from those of agents. */
export function isSession(id: string): boolean {
  return isId(id) && !id.includes(":");
}

/** Returns why a message cannot be stored; undefined if it can. */
export function checkDraft(
  draft: MessageDraft,
  { maxMessageBytes }: Pick<MailLimits, "maxMessageBytes">,
): Refused | undefined {
  const { id, body, summary = "", inReplyTo } = draft;
  for (const [field, value] of Object.entries({ id, inReplyTo: inReplyTo ?? id })) {
    if (!isId(value))
      return refuse("bad-id", `The ${field} must be 1 to 200 characters without spaces, control characters and "/".`);
  }
  if (!body.isWellFormed() || !summary.isWellFormed())
    return refuse("not-well-formed", "The text has half a surrogate pair: it was cut within a character.");
  const bytes = Buffer.byteLength(body) + Buffer.byteLength(summary);
  if (bytes > maxMessageBytes)
    return refuse(
      "too-large",
      `The message has ${bytes} bytes; the limit is ${maxMessageBytes}. Write it to a file, and send where it is.`,
    );
  return undefined;
}

function refuse(because: Refusal, why: string): Refused {
  return { kind: "refused", because, why };
}

/** Refuses a message because its id was used for another one. */
export function refuseTakenId({ id }: MessageDraft): Refused {
  return refuse("id-taken", `The id ${id} was used for another message. Use a new one.`);
}

/** Refuses a message because nobody in the team has that name. @param names all of the team */
export function refuseUnknown({ to }: MessageDraft, names: readonly string[]): Refused {
  const there = `There are: ${names.join(", ")}.`;
  return refuse("no-such-address", `Nobody in the team is called ${JSON.stringify(to)}. ${there}`);
}

/** Refuses a message because too many wait already. */
export function refuseFull(names: readonly string[], { maxWaiting }: Pick<MailLimits, "maxWaiting">): Refused {
  const why = `${maxWaiting} messages wait for ${names.join(", ")}. Send again when some were read.`;
  return refuse("mailbox-full", why);
}

/** Identifies the message behind a sender's id. */
export function digestOf({ to, kind = "message", body, summary, inReplyTo }: MessageDraft): string {
  return hash("sha256", JSON.stringify([to, kind, body, summary ?? null, inReplyTo ?? null]), "hex");
}

/** The key of a message: the session that sent it, and its id there. */
export function toKey(session: string, id: string): string {
  return `${session}/${id}`;
}

/** The session and the id in the key of a message. */
export function fromKey(key: string): { session: string; id: string } {
  const [session = "", id = ""] = key.split("/", 2);
  return { session, id };
}
