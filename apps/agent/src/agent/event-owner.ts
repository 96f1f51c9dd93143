import type { SessionEvent } from "palimpsest";
import type { AgentSession } from "../extension/open-agent-session.ts";
import type { AskingAgent } from "../permissions/permission-question.ts";

/** The owner of an event that is not the session's own: an agent, or a fork for a model call outside of the conversation. */
export interface EventOwner {
  readonly kind: "agent" | "fork";
  readonly name: string;
}

/** Receives events. @param owner undefined for the session's own events */
export type OwnedListener = (event: SessionEvent, owner?: EventOwner) => void;

type KnownAgents = Pick<AgentSession, "id" | "background">;

/** The agent that a session belongs to: the main agent, or an agent that it started. */
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
  /** Sets the main session. Before, all events are its own, since it has no agents yet. */
  opened(session: KnownAgents): void;
}

/** Adds the owner to each event, so that notices of an agent differ from those of the session. */
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

/** Passes events to all listeners. */
export function notifyAll(
  listeners: readonly (((event: SessionEvent) => void) | undefined)[],
): (event: SessionEvent) => void {
  const there = listeners.filter((listener) => listener !== undefined);
  return (event) => {
    for (const listener of there) listener(event);
  };
}

/** The id of a temporary fork contains its session and its purpose. */
function sourceOf(session: string): string {
  return session.slice(session.lastIndexOf(":") + 1);
}
