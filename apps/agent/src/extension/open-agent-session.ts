import { hostname } from "node:os";
import { openSession, type Session, type SessionOptions } from "palimpsest";

/** Any provider's. */
export type AgentSession = Session;
export type AgentSessionOptions = SessionOptions<unknown, unknown, unknown>;

/** Opens a session, under a name by which a person finds who has it. */
export function openAgentSession(options: AgentSessionOptions): Promise<AgentSession> {
  return openSession({ ...options, owner: `process ${process.pid} on ${hostname()}` });
}
