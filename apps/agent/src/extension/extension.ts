import type { Surroundings } from "palimpsest";
import type { Hook } from "palimpsest/hooks";
import type { AgentSession } from "./open-agent-session.ts";
import type { HeadSection } from "./session-head.ts";
import type { SlashCommand } from "./slash-command.ts";
import type { AgentTool } from "./tool.ts";

/**
 * One capability of the agent, with everything that belongs to it. The agent is a list of extensions; each is opened before the
 * session, and only `name` is required.
 */
export interface Extension {
  /** Names the extension in messages to the user. */
  readonly name: string;
  /** Is called once, when the session is open and before its first turn. */
  readonly begin?: (session: AgentSession) => Promise<void>;
  /** Its tools for one session, in the order in which they stand in the prompt. Called once for each session. */
  readonly tools?: (session: ToolSession) => readonly AgentTool[];
  /** Its section of the head: the text before all messages. */
  readonly head?: HeadSection;
  /** What the model needs again after a compaction. @param session the id of the session that is compacted */
  readonly surroundings?: (session: string) => Omit<Surroundings, "head">;
  /** Hooks for the session, or for the sessions of its agents. */
  readonly hooks?: (whose: "session" | "agent") => readonly Hook[];
  /** Commands that the user types behind a slash. */
  readonly commands?: readonly SlashCommand[];
  /** Its background tasks, for the footer of the screen. */
  readonly status?: () => readonly BackgroundTask[];
  /** Is called before each turn: appends what the model should know. */
  readonly beforeTurn?: (turn: TurnStart) => Promise<void>;
  /** Is called in the background when a turn is done. */
  readonly afterTurn?: (session: AgentSession) => Promise<void>;
  /** What the extension could not use, one line each. The user reads them when the session is opened. */
  readonly problems?: readonly string[];
  /** Ends what is still running. Extensions are closed in reverse order, after the session. */
  readonly close?: () => Promise<void>;
}

/** A session that tools work for: the agent's own, or the session of an agent that it has started. */
export interface ToolSession {
  readonly session: ToolSessionView;
  /** `agent`: it has seen nothing of the main session. `fork`: it has seen everything so far. */
  readonly kind: "main" | "agent" | "fork";
  /** The agent's own session. With kind `main`, the same as `session`. */
  readonly main: Pick<ToolSessionView, "id" | "history">;
}

/** What tools need of a session. */
export interface ToolSessionView extends Pick<AgentSession, "id" | "recall"> {
  readonly view: Pick<AgentSession["view"], "filesRead">;
  readonly history: Pick<AgentSession["history"], "newestEntry">;
}

export interface TurnStart {
  readonly session: AgentSession;
  /** What the user says in this turn; empty if the turn continues without. */
  readonly words: string;
}

/** Work that nobody waits for: a command, an agent, a dream. */
export interface BackgroundTask {
  readonly what: string;
  /** The slash command that shows more of it, as in `/tasks`. */
  readonly shownBy: string;
}
