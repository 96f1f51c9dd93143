import type { SessionInbox } from "@palimpsest/coordination";
import { type NewContent, type Session, type Tool, tool } from "palimpsest";
import { sha256 } from "palimpsest/store-parts";
import { addInput } from "./session-input.ts";

/** An agent to start from a session. A repeated `key` starts it once. */
export interface AgentTask {
  /** Names the agent within its session: the key of the call that starts it. The same key starts the same agent. */
  readonly key: string;
  /** The task in one line. */
  readonly goal: string;
  /** The task, with all the information that the agent needs. */
  readonly prompt: NewContent;
}

/** The agent and its session. */
export interface StartedAgent {
  readonly id: string;
  /** The id of the agent's own session. Any worker runs it. */
  readonly session: string;
}

/** The ids of sessions of agents begin with that of the session that started them. */
export function agentPrefix(session: string): string {
  return `${session}.agent-`;
}

/**
 * Starts an agent as a session of its own: it is in the log of the session that starts it first, then its task is in its inbox, and any
 * worker runs it. Its report comes by the inbox of the session that started it, once. To start it again does nothing.
 */
export async function startAgent(
  session: Pick<Session, "id" | "background">,
  inbox: Pick<SessionInbox, "add">,
  { key, goal, prompt }: AgentTask,
): Promise<StartedAgent> {
  const id = sha256(key).slice(0, 16);
  const child = `${agentPrefix(session.id)}${id}`;
  await session.background.enterAgent({ id, step: "started", way: "background", goal, session: child });
  const replyTo = { session: session.id, agent: id };
  await addInput(inbox, child, `task ${id}`, { kind: "content", content: prompt, replyTo });
  return { id, session: child };
}

/** A tool with which the model starts agents on any worker. */
export function agentTool(session: Pick<Session, "id" | "background">, inbox: Pick<SessionInbox, "add">): Tool {
  return tool({
    name: "start_agent",
    description:
      "Starts an agent that works on a task by itself, beside this conversation. It knows nothing but the prompt. Its report comes as a message when it is done: do not wait for it.",
    inputSchema: {
      type: "object",
      properties: {
        goal: { type: "string", description: "The task in one line." },
        prompt: { type: "string", description: "The task, with all the information that the agent needs." },
      },
      required: ["goal", "prompt"],
    },
    repeat: "by-key",
    async execute({ goal, prompt }, { key }) {
      const { id } = await startAgent(session, inbox, { key, goal: String(goal), prompt: String(prompt) });
      return `Agent ${id} works on it. Its report comes when it is done.`;
    },
  });
}
