// The agent: its options, its parts, and the owners of its events.
import type { Agents } from "@palimpsest/agents";
import type { Clock, Provider, SessionEvent, Settings, Store, Tool } from "palimpsest";
import type { PolicyOption } from "palimpsest/policy";
import type { Effort } from "palimpsest/provider-parts";
import type { BackgroundTask } from "../extension/extension.ts";
import type { AgentSession } from "../extension/open-agent-session.ts";
import type { Person } from "../extension/person.ts";
import type { SlashCommand } from "../extension/slash-command.ts";
import type { SessionMail } from "../extensions/mail/mail-extension.ts";
import type { PermissionMode } from "../permissions/decide-permission.ts";
import type { HeadlessPermission } from "../permissions/headless-permission.ts";
import type { LoadedSettings } from "../permissions/load-settings.ts";
import type { AskingAgent } from "../permissions/permission-call.ts";
import type { ToolServer } from "../permissions/program-setting.ts";
import type { Rule } from "../permissions/rule.ts";
import type { Environment } from "../workspace/command-environment.ts";
import type { Operations } from "../workspace/open-operations.ts";
import type { Places } from "../workspace/places.ts";
import type { EffortChoice } from "./session-effort.ts";

/** The options for opening an agent. */
export interface AgentOptions {
  readonly places: Places;
  /** The project folder, with links resolved. */
  readonly folder: string;
  readonly environment: Environment;
  readonly store: Store;
  readonly provider: Provider;
  readonly model: string;
  /** The session to resume. @default a new session */
  readonly id?: string;
  /** The reason for a new session, for hooks at its start. @default "startup" */
  readonly startedBy?: "startup" | "clear";
  /** The model's effort. @default the session's effort; in a new session, the effort of the settings */
  readonly effort?: EffortChoice;
  /** The permission mode. @default the mode of the settings */
  readonly mode?: PermissionMode;
  /** The session's name for other sessions of the project. @default its earlier name */
  readonly name?: string;
  /** Permission rules in addition to the rules in the settings. */
  readonly rules: readonly Rule[];
  /** Whether the model can fetch web pages. @default the choice in the settings */
  readonly web?: "on" | "off";
  /** Folders that tools may use, in addition to those in the settings. @default none */
  readonly folders?: readonly string[];
  /** MCP servers in addition to those in the settings. @default none */
  readonly servers?: readonly ToolServer[];
  readonly modelFacts: "table" | "if-unknown" | "asked";
  /** The person at the screen. @default none: calls that need permission are denied */
  readonly person?: Person;
  /** Shows a notice in a run without a screen. @default notices are dropped */
  readonly onNotice?: (text: string) => void;
  /** Receives the events of the session and its agents, including the events of the opening. @default none */
  readonly onEvent?: OwnedListener;
  /** Engine settings from the command line. @default none */
  readonly engine?: Partial<Settings>;
  /** What the session and its agents decide about their windows. @default the policy of the settings */
  readonly policy?: PolicyOption;
  /** The operator's telemetry and flags. @default none */
  readonly operations?: Pick<Operations, "onEvent" | "flags" | "problems">;
  /** The clock. @default the system's clock */
  readonly clock?: Clock;
}

/** A session with its tools and extensions. */
export interface Agent {
  readonly session: AgentSession;
  readonly tools: readonly Tool[];
  readonly agents: Agents;
  readonly waitForMail: SessionMail["wait"];
  readonly permission: HeadlessPermission;
  readonly settings: LoadedSettings;
  readonly mode: () => PermissionMode;
  readonly setMode: (mode: PermissionMode) => void;
  readonly model: () => string;
  /** Switches the model. Resolves to a problem if the new model does not support a setting. */
  readonly setModel: (model: string) => Promise<string | undefined>;
  /** The model's current effort. Undefined: the provider decides. */
  readonly effort: () => Effort | undefined;
  /** Changes the effort from the next request on. Resolves to a problem if the effort cannot be changed. */
  readonly setEffort: (effort: EffortChoice) => Promise<string | undefined>;
  /** The slash commands of all extensions. */
  readonly commands: readonly SlashCommand[];
  /** The running background tasks. */
  readonly status: () => readonly BackgroundTask[];
  /** Settings and extensions that could not be used, one line each. */
  readonly problems: readonly string[];
  /** Appends changes since the last turn for the model. @param words the user's next message */
  beforeTurn(words?: string): Promise<void>;
  /** Emits the events about decisions that wait for the user, once. The first turn calls it if no caller did before. */
  emitWaiting(): Promise<void>;
  /** Starts background work after a turn. */
  afterTurn(session: AgentSession): Promise<void>;
  close(): Promise<void>;
}

/** The owner of another session's event: an agent, or a fork for a model call outside the conversation. */
export interface EventOwner {
  readonly kind: "agent" | "fork";
  readonly name: string;
}

/** Receives events. @param owner the owner of the event; undefined for the session's own events */
export type OwnedListener = (event: SessionEvent, owner?: EventOwner) => void;

type KnownAgents = Pick<AgentSession, "id" | "background">;

/** Finds the agent that a session belongs to: the main agent, or an agent that it started. */
export function agentOf(main: KnownAgents, sessionId: string): AskingAgent {
  if (sessionId === main.id) return { kind: "main" };
  return startedAgent(main, sessionId) ?? { kind: "fork", name: sourceOf(sessionId) };
}

function startedAgent(
  { background }: KnownAgents,
  sessionId: string,
): Exclude<AskingAgent, { kind: "main" }> | undefined {
  const agent = background.agents().find(({ session }) => session === sessionId);
  return agent && { kind: agent.way, name: agent.name ?? agent.definition ?? agent.id.slice(0, 8) };
}

interface EventOwners {
  readonly onEvent: (event: SessionEvent) => void;
  /** Sets the main session. Earlier events belong to the main session, because it has no agents yet. */
  opened(session: KnownAgents): void;
}

/** Adds the owner to each event, to distinguish an agent's notices from the session's. */
export function nameOwners(listener: OwnedListener): EventOwners {
  let main: KnownAgents | undefined;
  return {
    onEvent(event) {
      if (main === undefined || event.session === main.id) return listener(event);
      const agent = startedAgent(main, event.session);
      if (agent === undefined) return listener(event, { kind: "fork", name: sourceOf(event.session) });
      listener(event, { kind: "agent", name: agent.name });
    },
    opened(session) {
      main = session;
    },
  };
}

/** Creates a listener that passes events to all given listeners. */
export function notifyAll(
  listeners: readonly (((event: SessionEvent) => void) | undefined)[],
): (event: SessionEvent) => void {
  const there = listeners.filter((listener) => listener !== undefined);
  return (event) => {
    for (const listener of there) listener(event);
  };
}

/** Extracts the purpose of a temporary fork from its id. */
function sourceOf(session: string): string {
  return session.slice(session.lastIndexOf(":") + 1);
}
