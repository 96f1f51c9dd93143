const BETWEEN = "-agent-";

/** Returns the id of an agent's session, derived from the session it works for. */
export function agentSession(session: string, agent: string): string {
  return `${session}${BETWEEN}${agent}`;
}

/** Whether a session belongs to an agent: lists of sessions leave these out. */
export function isAgentSession(id: string): boolean {
  return id.includes(BETWEEN);
}
