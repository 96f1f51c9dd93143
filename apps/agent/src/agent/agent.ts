import type { Agents } from "@palimpsest/agents";
import type { Clock, Provider, Settings, Store, Tool } from "palimpsest";
import type { Effort } from "palimpsest/provider-parts";
import type { BackgroundTask } from "../extension/extension.ts";
import type { AgentSession } from "../extension/open-agent-session.ts";
import type { Person } from "../extension/person.ts";
import type { SlashCommand } from "../extension/slash-command.ts";
import type { SessionMail } from "../extensions/mail/open-mail.ts";
import type { PermissionMode } from "../permissions/decide-permission.ts";
import type { HeadlessPermission } from "../permissions/headless-permission.ts";
import type { LoadedSettings } from "../permissions/load-settings.ts";
import type { Rule } from "../permissions/rule.ts";
import type { ToolServer } from "../permissions/tool-server.ts";
import type { Environment } from "../workspace/command-environment.ts";
import type { Operations } from "../workspace/open-operations.ts";
import type { Places } from "../workspace/places.ts";
import type { OwnedListener } from "./event-owner.ts";
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
