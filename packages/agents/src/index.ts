/** `@palimpsest/agents`: agents that work beside a session, and their messages. */
export {
  type AgentDefinition,
  type MemoryScope,
  type ReadDefinition,
  readAgentDefinition,
  STANDARD_AGENTS,
} from "./agent-definition.ts";
export type { AgentEnd } from "./agent-result.ts";
export { isAgentSession } from "./agent-session.ts";
export type { AgentFollowed, Agents, ListedAgent, LiveState, StartedAgent } from "./agents.ts";
export type { AgentLimits, AgentsOptions, WantedChild } from "./agents-options.ts";
export { createAgents } from "./create-agents.ts";
export { isApproval, type MessageSent } from "./message-tool.ts";
export { readAgents, type StoredAgent } from "./read-agents.ts";
export type { KnownAgent, WantedAgent } from "./start-agent.ts";
export { type WaitingInboxOptions, waitingInbox } from "./waiting-inbox.ts";
