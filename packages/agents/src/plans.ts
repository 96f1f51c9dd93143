import type { Session } from "palimpsest";
import type { Sender } from "./agent-message.ts";
import { isApproval, type MessageWanted } from "./message-tool.ts";
import type { KnownAgent } from "./start-agent.ts";

type Background = Pick<Session, "background">;

/** Records that an agent asks for approval of its plan. @returns why it cannot ask; undefined if it can */
export async function askForPlan({ background }: Background, sender: Sender, key: string): Promise<string | undefined> {
  const plan = background.agents().find(({ id }) => id === sender.id)?.plan;
  if (plan === undefined) return "You need no approval for a plan. Go on with your task.";
  if (plan === "approved") return "Your plan is approved already. Go on with it.";
  const entered = await background.enterAgent({ id: sender.id, step: "plan", state: "asked", key });
  return entered === "entered" ? undefined : "Your work was taken back.";
}

/**
 * Records the answer to a plan. Only the session that started the agent can give it, and only for the newest plan. @returns why
 * it does not count; undefined if it does
 */
export async function answerPlan(
  { background }: Background,
  agent: KnownAgent | undefined,
  { to, body, inReplyTo }: Pick<MessageWanted, "to" | "body" | "inReplyTo">,
  sender: Sender,
): Promise<string | undefined> {
  if (sender.id !== "main") return "Only main can answer a plan, because main has started its author.";
  if (agent?.plan === undefined) return `${to} is no teammate of yours that needs an approved plan.`;
  const { id, plan, planKey } = agent;
  if (plan !== "asked" || planKey === undefined) return `No plan of ${to} waits for an answer: it is ${plan}.`;
  if (inReplyTo !== planKey) return `in_reply_to must be the key of the newest plan of ${to}: ${planKey}.`;
  const state = isApproval(body) ? "approved" : "refused";
  const entered = await background.enterAgent({ id, step: "plan", state, key: planKey });
  return entered === "entered" ? undefined : `No plan of ${to} waits for an answer any more.`;
}
