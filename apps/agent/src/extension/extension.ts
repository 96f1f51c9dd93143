import type { Surroundings, Tool } from "palimpsest";
import type { Hook } from "palimpsest/hooks";
import type { AgentTool } from "../permissions/agent-tool.ts";
import type { HeadlessPermission } from "../permissions/headless-permission.ts";
import type { AgentSession, AgentSessionOptions } from "./open-agent-session.ts";
import type { HeadSection, SessionHead } from "./session-head.ts";
import type { SlashCommand } from "./slash-command.ts";

/**
 * One capability of the agent, with everything that belongs to it. The agent is a list of extensions; each is opened before the
 * session, and only `name` is required.
 */
export interface Extension {
  /** Names the extension in messages to the user. */
  readonly name: string;
  /** Called once, when the session is open and before its first turn. */
  readonly begin?: (session: AgentSession) => Promise<void>;
  /** Its tools for one session, in the order in which they stand in the prompt. Called once for each session. */
  readonly tools?: (session: ToolSession) => readonly AgentTool[];
  /** Its section of the head: the text before all messages. */
  readonly head?: HeadSection;
  /** Content to rehydrate after a compaction. @param session the id of the compacted session */
  readonly surroundings?: (session: string) => Omit<Surroundings, "head">;
  /** Hooks for the session, or for the sessions of its agents. */
  readonly hooks?: (whose: "session" | "agent") => readonly Hook[];
  /** Its slash commands. */
  readonly commands?: readonly SlashCommand[];
  /** Its background tasks, for the footer of the screen. */
  readonly status?: () => readonly BackgroundTask[];
  /** Called before each turn: appends information for the model. */
  readonly beforeTurn?: (turn: TurnStart) => Promise<void>;
  /** Called in the background after a turn. */
  readonly afterTurn?: (session: AgentSession) => Promise<void>;
  /** Problems, one line each. The user reads them when the session is opened. */
  readonly problems?: readonly string[];
  /** Stops running work. Extensions are closed in reverse order, after the session. */
  readonly close?: () => Promise<void>;
}

/** A session that uses tools: the main session, or the session of one of its agents. */
export interface ToolSession {
  readonly session: ToolSessionView;
  /** `agent`: it has seen nothing of the main session. `fork`: it has seen everything so far. */
  readonly kind: "main" | "agent" | "fork";
  /** The agent's own session. With kind `main`, the same as `session`. */
  readonly main: Pick<ToolSessionView, "id" | "history">;
}

/** The parts of a session that tools use. */
export interface ToolSessionView extends Pick<AgentSession, "id" | "recall"> {
  readonly view: Pick<AgentSession["view"], "filesRead">;
  readonly history: Pick<AgentSession["history"], "newestEntry">;
}

/** A turn that begins: its session, and the words of the user. */
export interface TurnStart {
  readonly session: AgentSession;
  /** The user's message in this turn; empty without one. */
  readonly words: string;
}

/** A background task, such as a command, an agent or a dream; or something that waits for the user. */
export interface BackgroundTask {
  /** Names the task while it runs, as in `b1`. */
  readonly id: string;
  /** `decision`: something that waits for the user. `other`: a task of an extension of the user. */
  readonly kind: "command" | "agent" | "dream" | "extraction" | "compaction" | "decision" | "other";
  /** What it does, in a few words. */
  readonly what: string;
  /** What it has done so far. @default unknown */
  readonly progress?: string;
  /** What it has cost so far. @default nothing: it calls no model */
  readonly priceUsd?: number;
  /** `idle`: it costs nothing until it gets a message. `waits`: for the user. @default "runs" */
  readonly state?: "runs" | "idle" | "waits";
  /** The slash command that shows more of it, as in `/tasks`. */
  readonly shownBy: string;
  /** Resolves to the end of its output. @default it has none */
  readonly output?: () => Promise<string>;
  /** Stops it. @default it cannot be stopped by itself */
  readonly stop?: () => Promise<void>;
}

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
