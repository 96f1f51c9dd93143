import type { MessageKind } from "@palimpsest/coordination";
import { type AttachmentPayload, withinTag } from "palimpsest/inspect";
import { fromAgent, MESSAGE } from "./data-marks.ts";

/** A message as a session receives it. */
export interface AgentMessage {
  /** Unique for the receiver. */
  readonly key: string;
  /** The sender as the host knows it: never what the message says. */
  readonly from: string;
  readonly kind: MessageKind;
  readonly body: string;
  readonly summary?: string;
  readonly inReplyTo?: string;
}

/** The sender: the session itself, or one of its agents. */
export type Sender = { readonly id: "main" } | { readonly id: string; readonly name: string };

/** What each kind asks of the receiver; plain messages and results ask nothing. */
const ASKS: Readonly<Partial<Record<MessageKind, string>>> = {
  shutdown_request:
    "It asks you to end. Bring what you do to a state that can be left, then answer with SendMessage, kind shutdown_response.",
  shutdown_response: "It answers your request to end.",
  plan_approval_request:
    "It asks you to approve this plan, and only reads until you do. Answer with SendMessage, kind plan_approval_response, approve true or false, in_reply_to its key; if you refuse, say why.",
  plan_approval_response:
    "It answers your request to approve a plan. If it approves the plan, carry it out. If not, change the plan and ask again.",
};

/** Renders a message as data: an attachment, so that the model does not take it for the user's words. */
export function toAttachment({ key, from, kind, body, summary, inReplyTo }: AgentMessage): AttachmentPayload {
  const facts = {
    from,
    key,
    ...(kind === "message" ? {} : { kind }),
    ...(summary === undefined ? {} : { summary }),
    ...(inReplyTo === undefined ? {} : { in_reply_to: inReplyTo }),
  };
  return fromAgent(MESSAGE, from, withinTag(MESSAGE, facts, body), ASKS[kind]);
}
