import type { SessionEvent } from "palimpsest";
import type { AgentSession } from "../extension/open-agent-session.ts";

/** Whose event it is, if it is not the session's own: an agent's, or that of a model call beside the conversation. */
export interface EventOwner {
  readonly kind: "agent" | "fork";
  readonly name: string;
}

/** Takes what happens. @param owner undefined: it happened in the session itself */
export type OwnedListener = (event: SessionEvent, owner?: EventOwner) => void;

export interface EventOwners {
  readonly onEvent: (event: SessionEvent) => void;
  /** From now on it is known which events are the session's own. Before, all of them are: it has no agents yet. */
  opened(session: Pick<AgentSession, "id" | "background">): void;
}

/** Says of each event whose it is, so that the notices of an agent do not read like those of the session. */
export function nameOwners(listener: OwnedListener): EventOwners {
  let main: Pick<AgentSession, "id" | "background"> | undefined;
  return {
    onEvent(event) {
      if (main === undefined || event.session === main.id) return listener(event);
      const agent = main.background.agents().find(({ session }) => session === event.session);
      if (agent === undefined) return listener(event, { kind: "fork", name: sourceOf(event.session) });
      listener(event, { kind: "agent", name: agent.name ?? agent.definition ?? agent.id.slice(0, 8) });
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
