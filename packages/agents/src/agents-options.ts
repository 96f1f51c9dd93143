import type { Mailbox } from "@palimpsest/coordination";
import type { Clock, PermissionOptions, Session, Store, Tool } from "palimpsest";
import type { AgentWay } from "palimpsest/inspect";

import type { AgentDefinition } from "./agent-definition.ts";

/** The limits of agents. */
export interface AgentLimits {
  /** The maximum number of responses of one agent per run. @default 200 */
  readonly maxRounds?: number;
  /** How many characters of a background agent's report the model sees. The rest is in the agent's log. @default 20_000 */
  readonly resultCharacters?: number;
  /**
   * How many characters of the reports that arrive together the model sees, so that many reports do not fill the window.
   * @default 60_000
   */
  readonly resultsCharacters?: number;
  /**
   * `on`: while somebody follows a running agent, the agent is asked for a short phrase about what it is doing, on its own cached
   * prompt. @default "on"
   */
  readonly phrases?: "on" | "off";
  /** An agent is asked at most this often, and only after it has done something new. @default 30_000 */
  readonly phraseEveryMs?: number;
}

/** Options of `createAgents`. Only the session, its store, its tools and `openChild` are required. */
export interface AgentsOptions extends AgentLimits, Pick<PermissionOptions, "permission" | "askHost"> {
  /** The session that starts the agents: its log records all of them. */
  readonly session: Session;
  /** The store of the sessions' logs. */
  readonly store: Pick<Store, "openReader">;
  /** The session's tools, in order; the agents' own `tools` follow them in its list. */
  readonly tools: readonly Tool[];
  /** The tools among them that change nothing. @default none */
  readonly readOnlyTools?: readonly string[];
  /** Tools for the session itself only: agents do not have them, and forks are refused. @default none */
  readonly mainOnlyTools?: readonly string[];
  /** The kinds of agents. @default `STANDARD_AGENTS` */
  readonly definitions?: readonly AgentDefinition[];
  /** Opens the session of an agent, new or resumed. The host binds it to its store. */
  readonly openChild: (wanted: WantedChild) => Promise<Session>;
  /**
   * Returns the same tools for another session, with the same names and descriptions, if they are bound to a session. @default
   * the same; `recall` reads the agent's own log
   */
  readonly toolsFor?: (child: Session, agent: ChildFacts) => readonly Tool[];
  /** Its address in a team, for mail of other processes. @default none */
  readonly mailbox?: Pick<Mailbox, "send" | "receive" | "acknowledge"> & Partial<Pick<Mailbox, "wait">>;
  /** The session's name for agents. @default "main" */
  readonly name?: string;
  /** @default random */
  readonly createId?: () => string;
  /** @default the system's clock */
  readonly clock?: Clock;
}

/** The agent that the host makes tools for. */
export interface ChildFacts {
  readonly way: AgentWay;
  readonly definition: AgentDefinition;
}

/** The session that a new agent needs. */
export interface WantedChild {
  /** The id of its session. */
  readonly id: string;
  readonly begins: "new" | "again";
  /** For a new one. */
  readonly system?: string;
  /** Its kind; undefined for a resumed fork. */
  readonly definition?: AgentDefinition;
  /** @default the session's */
  readonly model?: string;
}
