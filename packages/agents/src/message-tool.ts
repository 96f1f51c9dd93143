import type { MessageKind } from "@palimpsest/coordination";
import type { Tool } from "palimpsest";

const MESSAGE_TOOL = "SendMessage";

/** The message that the model wants to send. It does not name the sender. */
export interface MessageWanted {
  readonly to: string;
  readonly body: string;
  readonly kind: MessageKind;
  readonly summary?: string;
  readonly inReplyTo?: string;
}

/** Who got a message, or the reason why nobody did. */
export type MessageSent =
  | {
      readonly kind: "sent";
      readonly to: readonly string[];
      /** Finished agents that continue because of the message. */
      readonly woken: readonly string[];
      /** Stopped agents in other processes: the message waits for them. */
      readonly asleep?: readonly string[];
    }
  | { readonly kind: "refused"; readonly why: string };

const KINDS = [
  "message",
  "shutdown_request",
  "shutdown_response",
  "plan_approval_request",
  "plan_approval_response",
] as const;

const DESCRIPTION = `Sends a message to an agent.
- to: its name or id; "*" for all; "uds:<path>" for another session of this user that listens there. "main" is who started you.
- One that has ended goes on from where it was. Its answer comes by itself: do not wait for it with other tools.
- kind: shutdown_request asks one to end; answer such a request with shutdown_response and approve. A teammate that needs
  an approved plan sends it to main with plan_approval_request; main answers with plan_approval_response, approve and in_reply_to.`;

/** The tool with which an agent sends messages in its own name. */
export function messageTool(send: (wanted: MessageWanted) => Promise<MessageSent>): Tool {
  return {
    name: MESSAGE_TOOL,
    description: DESCRIPTION,
    inputSchema: {
      type: "object",
      properties: {
        to: { type: "string" },
        message: { type: "string" },
        summary: { type: "string", description: "5 to 10 words, for people" },
        kind: { type: "string", enum: [...KINDS], description: "message, if left out" },
        approve: { type: "boolean", description: "For the two kinds of responses" },
        in_reply_to: { type: "string", description: "The key of the message that this answers" },
      },
      required: ["to", "message"],
    },
    sideEffects: "some",
    async execute(given) {
      const { to, message, summary, kind = "message", approve, in_reply_to: inReplyTo } = given as Input;
      if (kind.endsWith("_response") && approve === undefined)
        return { content: `Nothing was sent: ${kind} needs approve, true or false.`, status: "error" };
      if (kind === "plan_approval_response" && approve === false && message.trim() === "")
        return { content: "Nothing was sent: say in message why the plan is refused.", status: "error" };
      const answer = approve === undefined ? "" : `${approve ? APPROVED : DECLINED}\n`;
      const sent = await send({
        to,
        kind,
        body: `${answer}${message}`,
        summary,
        inReplyTo,
      });
      if (sent.kind === "refused") return { content: `Nothing was sent: ${sent.why}`, status: "error" };
      const woken = sent.woken.length === 0 ? "" : ` ${sent.woken.join(", ")} was idle and continues now.`;
      const asleep = sent.asleep === undefined ? "" : ` ${sent.asleep.join(", ")} does not run: it waits there.`;
      return sent.to.length === 0 ? "There is nobody else." : `Sent to ${sent.to.join(", ")}.${woken}${asleep}`;
    },
  };
}

const APPROVED = "approved: yes";
const DECLINED = "approved: no";

/** Whether a response says yes. */
export function isApproval(body: string): boolean {
  return body === APPROVED || body.startsWith(`${APPROVED}\n`);
}

interface Input {
  readonly to: string;
  readonly message: string;
  readonly summary?: string;
  readonly kind?: (typeof KINDS)[number];
  readonly approve?: boolean;
  readonly in_reply_to?: string;
}
