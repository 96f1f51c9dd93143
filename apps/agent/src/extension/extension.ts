import type { Surroundings, Tool } from "palimpsest";
import type { Hook } from "palimpsest/hooks";
import type { AgentTool } from "../permissions/agent-tool.ts";
import type { HeadlessPermission } from "../permissions/headless-permission.ts";
import type { AgentSession, AgentSessionOptions } from "./open-agent-session.ts";
import type { HeadSection, SessionHead } from "./session-head.ts";
import type { SlashCommand } from "./slash-command.ts";

/**
 * One capability of the agent, with its tools, commands and hooks. The agent is a list of extensions. Each extension
 * opens before the session, and only `name` is required.
 */
export interface Extension {
  /** The extension's name in messages to the user. */
  readonly name: string;
  /** Called once, after the session opens and before its first turn. */
  readonly begin?: (session: AgentSession) => Promise<void>;
  /** Creates the extension's tools for a session, in the order of the prompt. Called once for each session. */
  readonly tools?: (session: ToolSession) => readonly AgentTool[];
  /** The extension's section of the head, which is the text before all messages. */
  readonly head?: HeadSection;
  /** Content to rehydrate after a compaction. @param session the id of the compacted session */
  readonly surroundings?: (session: string) => Omit<Surroundings, "head">;
  /** Hooks for the session, or for the sessions of its agents. */
  readonly hooks?: (whose: "session" | "agent") => readonly Hook[];
  /** The extension's slash commands. */
  readonly commands?: readonly SlashCommand[];
  /** The extension's background tasks, for the footer of the screen. */
  readonly status?: () => readonly BackgroundTask[];
  /**
   * Called after each call of the main session that touched files or folders, whether it succeeded or failed.
   * @param paths absolute, or from the project's folder
   */
  readonly touched?: (paths: readonly string[]) => Promise<void>;
  /** Called before each turn, to append information for the model. */
  readonly beforeTurn?: (turn: TurnStart) => Promise<void>;
  /** Called in the background after a turn. */
  readonly afterTurn?: (session: AgentSession) => Promise<void>;
  /** Problems, one line each. The user sees them when the session opens. */
  readonly problems?: readonly string[];
  /** Stops running work. Extensions close in reverse order, after the session. */
  readonly close?: () => Promise<void>;
}

/** A session that uses tools: the main session, or the session of one of its agents. */
export interface ToolSession {
  readonly session: ToolSessionView;
  /** `agent`: the session has seen nothing of the main session. `fork`: it has seen everything up to the fork. */
  readonly kind: "main" | "agent" | "fork";
  /** The main session. With kind `main`, the same as `session`. */
  readonly main: Pick<ToolSessionView, "id" | "history">;
}

/** The parts of a session that tools use. */
export interface ToolSessionView extends Pick<AgentSession, "id" | "mark" | "recall" | "settings"> {
  readonly view: Pick<AgentSession["view"], "filesRead">;
  readonly history: Pick<AgentSession["history"], "newestEntry">;
}

/** A turn that begins, with its session and the user's message. */
export interface TurnStart {
  readonly session: AgentSession;
  /** The user's message in this turn. Empty if there is none. */
  readonly words: string;
}

/** A background task, such as a command, an agent or a dream, or a decision that waits for the user. */
export interface BackgroundTask {
  /** Identifies the task while it runs, as in `b1`. */
  readonly id: string;
  /** `decision`: something that waits for the user. `other`: a task of a user's extension. */
  readonly kind: "command" | "agent" | "dream" | "extraction" | "compaction" | "decision" | "other";
  /** What the task does, in a few words. */
  readonly what: string;
  /** What the task has done so far. @default unknown */
  readonly progress?: string;
  /** The cost of the task so far. @default no cost, because the task calls no model */
  readonly priceUsd?: number;
  /** `idle`: the task costs nothing until it gets a message. `waits`: it waits for the user. @default "runs" */
  readonly state?: "runs" | "idle" | "waits";
  /** The slash command that shows details of the task, as in `/tasks`. */
  readonly shownBy: string;
  /** Resolves to the end of the task's output. @default the task has no output */
  readonly output?: () => Promise<string>;
  /** Stops the task. @default the task cannot be stopped on its own */
  readonly stop?: () => Promise<void>;
}

/** The session with its tools, for extensions that run their own sessions: agents, extractions, dreams. */
export interface OpenedSession {
  readonly session: AgentSession;
  /** The session's tools. */
  readonly tools: readonly AgentTool[];
  /** The same tools as the agent loop runs them. */
  readonly runnable: readonly Tool[];
  readonly permission: HeadlessPermission;
  /** Creates the tools of all extensions for another session. */
  readonly toolsFor: (session: ToolSession) => readonly AgentTool[];
  /** Builds the head of a session that uses another memory. */
  readonly headWith: (memory: HeadSection) => Pick<SessionHead, "text">;
  /** The options of an agent's session, except its store, model and prompt. */
  readonly childOptions: (id: string) => Omit<AgentSessionOptions, "store" | "provider" | "model" | "id" | "system">;
}
