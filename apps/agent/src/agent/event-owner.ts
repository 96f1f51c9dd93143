import type { SessionEvent } from "palimpsest";
import type { AgentSession } from "../extension/open-agent-session.ts";
import type { AskingAgent } from "../permissions/permission-question.ts";

/** Whose event it is, if it is not the session's own: an agent's, or that of a model call beside the conversation. */
export interface EventOwner {
  readonly kind: "agent" | "fork";
  readonly name: string;
}

/** Takes what happens. @param owner undefined: it happened in the session itself */
export type OwnedListener = (event: SessionEvent, owner?: EventOwner) => void;

type KnownAgents = Pick<AgentSession, "id" | "background">;

/** Which agent a session belongs to: the main one, or one that it has started. */
export function agentOf(main: KnownAgents, sessionId: string): AskingAgent {
  if (sessionId === main.id) return { kind: "main" };
  return startedAgent(main, sessionId) ?? { kind: "fork", name: sourceOf(sessionId) };
}

function startedAgent(
  { background }: KnownAgents,
  sessionId: string,
): Exclude<AskingAgent, { kind: "main" }> | undefined {
  const agent = background.agents().find(({ session }) => session === sessionId);
  return agent && { kind: agent.way, name: agent.name ?? agent.definition ?? agent.id.slice(0, 8) };
}

export interface EventOwners {
  readonly onEvent: (event: SessionEvent) => void;
  /** From now on it is known which events are the session's own. Before, all of them are: it has no agents yet. */
  opened(session: KnownAgents): void;
}

/** Says of each event whose it is, so that the notices of an agent do not read like those of the session. */
export function nameOwners(listener: OwnedListener): EventOwners {
  let main: KnownAgents | undefined;
  return {
    onEvent(event) {
      if (main === undefined || event.session === main.id) return listener(event);
      const agent = startedAgent(main, event.session);
      if (agent === undefined) return listener(event, { kind: "fork", name: sourceOf(event.session) });
      listener(event, { kind: "agent", name: agent.name });
    },
    opened(session) {
      main = session;
    },
  };
}

/** Tells each of those who listen. */
export function notifyAll(
  listeners: readonly (((event: SessionEvent) => void) | undefined)[],
): (event: SessionEvent) => void {
  const there = listeners.filter((listener) => listener !== undefined);
  return (event) => {
    for (const listener of there) listener(event);
  };
}

/** A fork that nobody keeps is named after its session and what it is for. */
function sourceOf(session: string): string {
  return session.slice(session.lastIndexOf(":") + 1);
}
