import type { Tool } from "palimpsest";
import type { HeadlessPermission } from "../permissions/headless-permission.ts";
import type { ToolSession } from "./extension.ts";
import type { AgentSession, AgentSessionOptions } from "./open-agent-session.ts";
import type { HeadSection, SessionHead } from "./session-head.ts";
import type { AgentTool } from "./tool.ts";

/** The session with its tools, for extensions that run sessions of their own: agents, extractions, dreams. */
export interface OpenedSession {
  readonly session: AgentSession;
  /** The session's tools. */
  readonly tools: readonly AgentTool[];
  /** The same tools in the form of the agent loop. */
  readonly runnable: readonly Tool[];
  readonly permission: HeadlessPermission;
  /** The tools of all extensions for another session. */
  readonly toolsFor: (session: ToolSession) => readonly AgentTool[];
  /** The head of a session that has another memory. */
  readonly headWith: (memory: HeadSection) => Pick<SessionHead, "text">;
  /** The options of an agent's session, besides its store, model and prompt. */
  readonly childOptions: (id: string) => Omit<AgentSessionOptions, "store" | "provider" | "model" | "id" | "system">;
}
