import type { Agents } from "@palimpsest/agents";
import type { Clock, Provider, Settings, Store, Tool } from "palimpsest";
import type { BackgroundTask } from "../extension/extension.ts";
import type { AgentSession } from "../extension/open-agent-session.ts";
import type { Person } from "../extension/person.ts";
import type { SlashCommand } from "../extension/slash-command.ts";
import type { SessionMail } from "../extensions/mail/open-mail.ts";
import type { Operations } from "../operations/open-operations.ts";
import type { PermissionMode } from "../permissions/decide-permission.ts";
import type { HeadlessPermission } from "../permissions/headless-permission.ts";
import type { LoadedSettings } from "../permissions/load-settings.ts";
import type { Rule } from "../permissions/rule.ts";
import type { Environment } from "../workspace/command-environment.ts";
import type { Places } from "../workspace/places.ts";
import type { OwnedListener } from "./event-owner.ts";

export interface AgentOptions {
  readonly places: Places;
  /** The project's, links followed. */
  readonly folder: string;
  readonly environment: Environment;
  readonly store: Store;
  readonly provider: Provider;
  readonly model: string;
  /** The session to resume. @default a new one */
  readonly id?: string;
  /** What hooks at the start are told of a new session. @default "startup" */
  readonly startedBy?: "startup" | "clear";
  /** @default that of the settings */
  readonly mode?: PermissionMode;
  /** What other sessions of the project call it. @default what they called it before */
  readonly name?: string;
  /** Beside those of the settings. */
  readonly rules: readonly Rule[];
  /** @default that of the settings */
  readonly web?: "on" | "off";
  readonly modelFacts: "table" | "if-unknown" | "asked";
  /** @default nobody is here: what would have to be asked is denied */
  readonly person?: Person;
  /** Is told what happens in the session and its agents, from the opening on. @default nobody is told */
  readonly onEvent?: OwnedListener;
  /** Engine settings of the command line. @default none */
  readonly engine?: Partial<Settings>;
  /** What the operator has set up. @default nothing */
  readonly operations?: Pick<Operations, "onEvent" | "flags" | "problems">;
  /** @default the system's clock */
  readonly clock?: Clock;
}

/** A session with its tools, and what its extensions do around it. */
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
  readonly setModel: (model: string) => Promise<void>;
  /** The slash commands of its extensions. */
  readonly commands: readonly SlashCommand[];
  /** What runs in the background now. */
  readonly status: () => readonly BackgroundTask[];
  /** What could not be used, one line each. */
  readonly problems: readonly string[];
  /** Tells the model what has changed since its last turn. @param words what the user is about to say */
  beforeTurn(words?: string): Promise<void>;
  /** Tells who listens to the session what waits for the user, once. The first turn does, if nobody has before. */
  emitWaiting(): Promise<void>;
  /** Work in the background once a turn is done. */
  afterTurn(session: AgentSession): Promise<void>;
  close(): Promise<void>;
}
