import type { Clock, Provider, Store, ToolDefinition } from "palimpsest";
import type { Effort } from "palimpsest/provider-parts";
import type { PermissionMode } from "../permissions/decide-permission.ts";
import type { Rule } from "../permissions/rule.ts";
import type { AgentSettings } from "../permissions/settings.ts";
import type { Sandbox } from "../sandbox/open-sandbox.ts";
import type { Environment } from "../workspace/command-environment.ts";
import type { CommandTimes } from "../workspace/command-times.ts";
import type { Operations } from "../workspace/open-operations.ts";
import type { PathGuard } from "../workspace/path-guard.ts";
import type { Places } from "../workspace/places.ts";
import type { AgentSession } from "./open-agent-session.ts";
import type { Person } from "./person.ts";

/** The context for opening an extension. It has everything that extensions share. */
export interface ExtensionContext {
  /** The folder of the project, with links resolved. */
  readonly folder: string;
  readonly places: Places;
  readonly environment: Environment;
  readonly store: Store;
  readonly provider: Provider;
  /** The current model. */
  readonly model: () => string;
  /** How much the model thinks now; undefined: as the provider decides. */
  readonly effort: () => Effort | undefined;
  readonly clock: Clock;
  /** The id of the session, which is opened after its extensions. */
  readonly sessionId: string;
  /** The folder of the session's own files. */
  readonly sessionFolder: string;
  readonly settings: AgentSettings;
  /** Keeps paths inside the folders that tools may use. */
  readonly guard: PathGuard;
  readonly permissions: Permissions;
  /** When commands ran in the project: what they changed counts once the user has seen it. */
  readonly commandTimes: CommandTimes;
  /** Files of the project that hooks and servers run. */
  readonly obeyedFiles: readonly string[];
  /** What every program obeys that the session starts. */
  readonly sandbox: Sandbox;
  /** The tools that the session was offered before it was resumed. Empty in a new session. */
  readonly offered: readonly ToolDefinition[];
  /** The person at the screen; absent if there is none. */
  readonly person?: Person;
  /** Shows a notice to the person: at the screen, or with the output of a run without one. */
  readonly notify: (text: string) => void;
  /** Emits an event to all listeners of the session. */
  readonly emit: AgentSession["events"]["emit"];
  /** The operator's telemetry and flags. */
  readonly operations?: Pick<Operations, "onEvent" | "flags" | "problems">;
}

/** The current permissions of tools. */
export interface Permissions {
  readonly mode: () => PermissionMode;
  readonly setMode: (mode: PermissionMode) => void;
  /** Rules of the settings and the command line, and those that the user has allowed since. */
  readonly rules: Rule[];
}
