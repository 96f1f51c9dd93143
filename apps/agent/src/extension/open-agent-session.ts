import { hostname } from "node:os";
import { openSession, type Session, type SessionOptions } from "palimpsest";
import { sanitize } from "palimpsest/sanitize";

/** A session with any provider. */
export type AgentSession = Session;
export type AgentSessionOptions = SessionOptions<unknown, unknown, unknown>;

/** Opens a session. Every text that enters it passes the gate (`sanitize`). The owner names this process, so that a person can find it. */
export function openAgentSession(options: AgentSessionOptions): Promise<AgentSession> {
  return openSession({ ...options, cleanText: sanitize, owner: `process ${process.pid} on ${hostname()}` });
}
