const BETWEEN = "-agent-";

/** The id of an agent's session, by that of the session it works for. */
export function agentSession(session: string, agent: string): string {
  return `${session}${BETWEEN}${agent}`;
}

/** Whether a session is that of an agent: hosts that list sessions leave these out. */
export function isAgentSession(id: string): boolean {
  return id.includes(BETWEEN);
}
