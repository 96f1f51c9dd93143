import { randomUUID } from "node:crypto";
import { sendToSocket } from "@palimpsest/coordination";
import type { AgentMessage, Sender } from "./agent-message.ts";
import type { AgentsOptions } from "./agents-options.ts";
import { isApproval, type MessageSent, type MessageWanted } from "./message-tool.ts";
import { answerPlan, askForPlan } from "./plans.ts";
import type { LiveAgent, Roster } from "./roster.ts";
import type { KnownAgent, Starter } from "./start-agent.ts";

export interface PostOptions extends Pick<AgentsOptions, "session" | "mailbox" | "name"> {
  readonly roster: Roster;
  readonly resume: Starter["resume"];
  /** Takes a message for the session itself. */
  readonly toMain: (message: AgentMessage) => void;
  /** Logs finished agents, so that they can be woken. */
  readonly settle: () => Promise<unknown>;
}

type Delivered = "queued" | "woken" | { readonly why: string };

export type Post = (wanted: MessageWanted, sender: Sender) => Promise<MessageSent>;

/** Delivers a message to its receiver: a queue of this process, a mailbox, or a socket. */
export function createPost(options: PostOptions): Post {
  const { session, mailbox, roster, resume, toMain, settle, name: main = "main" } = options;

  let last: Promise<unknown> = Promise.resolve();

  function toMessage(wanted: MessageWanted, sender: Sender): AgentMessage {
    const { to: _, ...words } = wanted;
    return { ...words, key: `${session.id}/${randomUUID()}`, from: "name" in sender ? sender.name : main };
  }

  /** One at a time: two messages at once would both wake the same agent, and one of them would be lost. */
  function toAgent(id: string, message: AgentMessage, sender: Sender): Promise<Delivered> {
    const delivered = last.then(() => deliver(id, [message], sender));
    last = delivered.catch(() => undefined);
    return delivered;
  }

  async function deliver(id: string, messages: readonly AgentMessage[], sender: Sender): Promise<Delivered> {
    const running = roster.live.get(id);
    if (running !== undefined) {
      running.messages.push(...messages);
      void running.done.then(({ outcome }) => outcome === "done" && deliverLeft(running));
      return "queued";
    }
    await settle();
    const known = session.background.agents().find((agent) => agent.id === id);
    if (known === undefined) return { why: `${id} belongs to work that was taken back.` };
    if (known.status === "stopped" && sender.id !== "main")
      return { why: `${known.name ?? id} was stopped. Only ${main} can make it continue.` };
    const resumed = await resume(known, messages);
    return resumed.kind === "started" ? "woken" : { why: resumed.why };
  }

  /** Messages that came after an agent had looked for the last time wake it again. */
  function deliverLeft({ id, messages }: LiveAgent): void {
    const left = messages.splice(0);
    if (left.length === 0 || session.signal.aborted) return;
    last = last.then(() => deliver(id, left, { id: "main" })).catch(() => undefined);
  }

  async function toAll(wanted: MessageWanted, sender: Sender): Promise<MessageSent> {
    const isThere = ({ id, status }: KnownAgent) => id !== sender.id && (roster.live.has(id) || status === "idle");
    const others = session.background.agents().filter(isThere);
    for (const { id } of others) await toAgent(id, toMessage(wanted, sender), sender);
    const here = others.map(({ id, name }) => name ?? id);
    if (sender.id !== "main") toMain(toMessage(wanted, sender));
    const away = sender.id === "main" && mailbox !== undefined ? await byMail(wanted) : undefined;
    if (away?.kind === "refused") return away;
    return { kind: "sent", to: [...(sender.id === "main" ? [] : [main]), ...here, ...(away?.to ?? [])], woken: [] };
  }

  async function byMail(wanted: MessageWanted): Promise<MessageSent> {
    const outcome = await mailbox!.send({ ...wanted, id: randomUUID() });
    if (outcome.kind === "lost") return refused("This session's mailbox is held by another process now.");
    if (outcome.kind === "refused") return refused(outcome.why);
    const asleep = outcome.receivers.filter(({ state }) => state === "stopped").map(({ name }) => name);
    return {
      kind: "sent",
      to: outcome.receivers.map(({ name }) => name),
      woken: [],
      ...(asleep.length === 0 ? {} : { asleep }),
    };
  }

  async function bySocket(path: string, { body, summary, kind }: MessageWanted): Promise<MessageSent> {
    if (kind !== "message") return refused("Other sessions take plain messages only.");
    const message = { id: randomUUID(), from: session.id, body, summary };
    const outcome = await sendToSocket({ path, message });
    if (outcome.kind === "taken") return { kind: "sent", to: [`uds:${path}`], woken: [] };
    return refused(outcome.kind === "unknown" ? `It may have arrived: ${outcome.why}` : outcome.why);
  }

  return async (wanted, sender) => {
    const { to, kind } = wanted;
    const isMain = sender.id === "main";
    const isPlan = kind === "plan_approval_request";
    if (to === "*" && !isPlan && kind !== "plan_approval_response") return toAll(wanted, sender);
    if (isPlan && (to !== main || isMain))
      return refused(`Only a teammate asks for approval of its plan, and asks ${main}.`);
    if (to === main && !isMain) {
      const message = toMessage(wanted, sender);
      const problem = isPlan ? await askForPlan(session, sender, message.key) : undefined;
      if (problem !== undefined) return refused(problem);
      toMain(message);
      const agrees = wanted.kind === "shutdown_response" && isApproval(wanted.body);
      if (agrees) roster.live.get(sender.id)?.stop("It has ended, as it was asked to.");
      return { kind: "sent", to: [main], woken: [] };
    }
    const agents = session.background.agents();
    const found = agents.find(({ id }) => id === to) ?? agents.findLast(({ name }) => name === to);
    if (kind === "plan_approval_response") {
      const problem = await answerPlan(session, found, wanted, sender);
      if (problem !== undefined) return refused(problem);
    }
    if (found !== undefined) {
      if (found.id === sender.id) return refused("That is you.");
      const outcome = await toAgent(found.id, toMessage(wanted, sender), sender);
      if (typeof outcome === "object") return refused(outcome.why);
      return { kind: "sent", to: [to], woken: outcome === "woken" ? [to] : [] };
    }
    // In the name of the session, because only the session is known outside.
    if (isMain && to.startsWith("uds:")) return bySocket(to.slice("uds:".length), wanted);
    const mailed = isMain && mailbox !== undefined ? await byMail(wanted) : undefined;
    if (mailed?.kind === "sent") return mailed;
    const names = [...(isMain ? [] : [main]), ...agents.map(({ id, name }) => name ?? id)];
    const there = `Agents of this session: ${names.join(", ") || "none"}.`;
    return refused(`${mailed?.why ?? `Nobody is called ${JSON.stringify(to)}.`} ${there}`);
  };
}

function refused(why: string): MessageSent {
  return { kind: "refused", why };
}
