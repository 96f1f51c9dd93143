import { hostname } from "node:os";
import { openSession, type Session, type SessionOptions } from "palimpsest";
import { sanitize } from "palimpsest/sanitize";

/** A session of the agent, with any provider. */
export type AgentSession = Session;
export type AgentSessionOptions = SessionOptions<unknown, unknown, unknown>;

/**
 * Opens a session, and sanitizes every text that enters it. The session's owner names this process, so that a person
 * can find the process.
 */
export function openAgentSession(options: AgentSessionOptions): Promise<AgentSession> {
  return openSession({ ...options, cleanText: sanitize, owner: `process ${process.pid} on ${hostname()}` });
}
