import type { Agents } from "@palimpsest/agents";
import type { Clock, Provider, SessionEvent, Settings, Store, Tool } from "palimpsest";
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

export interface AgentOptions {
  readonly places: Places;
  /** The folder of the project, with links resolved. */
  readonly folder: string;
  readonly environment: Environment;
  readonly store: Store;
  readonly provider: Provider;
  readonly model: string;
  /** The session to resume. @default a new session */
  readonly id?: string;
  /** The reason for a new session, for hooks at its start. @default "startup" */
  readonly startedBy?: "startup" | "clear";
  /** How much the model thinks. @default that of the session; in a new session, that of the settings */
  readonly effort?: EffortChoice;
  /** @default that of the settings */
  readonly mode?: PermissionMode;
  /** The name of the session for other sessions of the project. @default its earlier name */
  readonly name?: string;
  /** Rules in addition to those of the settings. */
  readonly rules: readonly Rule[];
  /** @default that of the settings */
  readonly web?: "on" | "off";
  /** Folders that tools may use besides those of the settings. @default none */
  readonly folders?: readonly string[];
  /** Servers of tools in addition to those of the settings. @default none */
  readonly servers?: readonly ToolServer[];
  readonly modelFacts: "table" | "if-unknown" | "asked";
  /** The person at the screen. @default none: calls that need permission are denied */
  readonly person?: Person;
  /** Shows a notice where there is no screen. @default nobody sees it */
  readonly onNotice?: (text: string) => void;
  /** Receives the events of the session and its agents, from the opening on. @default none */
  readonly onEvent?: OwnedListener;
  /** Engine settings from the command line. @default none */
  readonly engine?: Partial<Settings>;
  /** The operator's telemetry and flags. @default none */
  readonly operations?: Pick<Operations, "onEvent" | "flags" | "problems">;
  /** @default the system's clock */
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
  /** Switches the model. Resolves to what the new model cannot do, in words. */
  readonly setModel: (model: string) => Promise<string | undefined>;
  /** How much the model thinks. Undefined: as the provider decides. */
  readonly effort: () => Effort | undefined;
  /** Changes the effort from the next request on. Resolves to why it cannot, in words. */
  readonly setEffort: (effort: EffortChoice) => Promise<string | undefined>;
  /** The slash commands of its extensions. */
  readonly commands: readonly SlashCommand[];
  /** The running background tasks. */
  readonly status: () => readonly BackgroundTask[];
  /** Settings and extensions that could not be used, one line each. */
  readonly problems: readonly string[];
  /** Tells the model what has changed since its last turn. @param words the user's next message */
  beforeTurn(words?: string): Promise<void>;
  /** Emits, once, the events about things that wait for the user. The first turn calls it if nobody has before. */
  emitWaiting(): Promise<void>;
  /** Starts background work after a turn. */
  afterTurn(session: AgentSession): Promise<void>;
  close(): Promise<void>;
}

/** The owner of an event that is not the session's own: an agent, or a fork for a model call outside of the conversation. */
export interface EventOwner {
  readonly kind: "agent" | "fork";
  readonly name: string;
}

/** Receives events. @param owner undefined for the session's own events */
export type OwnedListener = (event: SessionEvent, owner?: EventOwner) => void;

type KnownAgents = Pick<AgentSession, "id" | "background">;

/** The agent that a session belongs to: the main agent, or an agent that it started. */
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
  /** Sets the main session. Before, all events are its own, since it has no agents yet. */
  opened(session: KnownAgents): void;
}

/** Adds the owner to each event, so that notices of an agent differ from those of the session. */
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

/** Passes events to all listeners. */
export function notifyAll(
  listeners: readonly (((event: SessionEvent) => void) | undefined)[],
): (event: SessionEvent) => void {
  const there = listeners.filter((listener) => listener !== undefined);
  return (event) => {
    for (const listener of there) listener(event);
  };
}

/** The id of a temporary fork contains its session and its purpose. */
function sourceOf(session: string): string {
  return session.slice(session.lastIndexOf(":") + 1);
}
