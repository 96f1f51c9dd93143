import type { Mailbox } from "@palimpsest/coordination";
import type { Clock, Session, Store, Tool } from "palimpsest";
import type { AgentWay, PermissionOptions } from "palimpsest/core";

import type { AgentDefinition } from "./agent-definition.ts";

export interface AgentsOptions extends Pick<PermissionOptions, "permission" | "askHost"> {
  /** The session that starts them: its log knows them all. */
  readonly session: Session;
  /** Where the sessions' logs are. */
  readonly store: Pick<Store, "openReader">;
  /** The session's tools, in their order; `tools` of the agents stand behind them in its list. */
  readonly tools: readonly Tool[];
  /** Those of them that change nothing. @default none */
  readonly readOnlyTools?: readonly string[];
  /** Those that only the session itself may use: others do not have them, and forks are refused. @default none */
  readonly mainOnlyTools?: readonly string[];
  /** The kinds of agents. @default `STANDARD_AGENTS` */
  readonly definitions?: readonly AgentDefinition[];
  /** Opens the session of an agent: of a new one, or of one that goes on. The host binds it to its store. */
  readonly openChild: (wanted: WantedChild) => Promise<Session>;
  /**
   * The same tools for another session, for those that are bound to one, with the same names and words.
   * @default the same; what recalls does so from the agent's own log
   */
  readonly toolsFor?: (child: Session, agent: ChildFacts) => readonly Tool[];
  /** Its address in a team, for mail of other processes. @default there is none */
  readonly mailbox?: Pick<Mailbox, "send" | "receive" | "acknowledge"> & Partial<Pick<Mailbox, "wait">>;
  /** What agents call this session. @default "main" */
  readonly name?: string;
  /** @default random */
  readonly createId?: () => string;
  /** @default the system's clock */
  readonly clock?: Clock;
}

/** What the host is told of an agent that it makes tools for. */
export interface ChildFacts {
  readonly way: AgentWay;
  readonly definition: AgentDefinition;
}

export interface WantedChild {
  /** The id of its session. */
  readonly id: string;
  readonly begins: "new" | "again";
  /** For a new one. */
  readonly system?: string;
  /** Its kind; undefined for a fork that goes on. */
  readonly definition?: AgentDefinition;
  /** @default the session's */
  readonly model?: string;
}
