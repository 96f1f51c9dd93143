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

/** The context for opening an extension, with everything that extensions share. */
export interface ExtensionContext {
  /** The project folder, with links resolved. */
  readonly folder: string;
  readonly places: Places;
  readonly environment: Environment;
  readonly store: Store;
  readonly provider: Provider;
  /** The current model. */
  readonly model: () => string;
  /** The model's current effort. Undefined: the provider decides. */
  readonly effort: () => Effort | undefined;
  readonly clock: Clock;
  /** The id of the session, which opens after its extensions. */
  readonly sessionId: string;
  /** The folder for the session's own files. */
  readonly sessionFolder: string;
  readonly settings: AgentSettings;
  /** Restricts paths to the folders that tools may use. */
  readonly guard: PathGuard;
  readonly permissions: Permissions;
  /** Records when commands ran in the project. The user must review files that a command changed before they count. */
  readonly commandTimes: CommandTimes;
  /** Project files that hooks and servers execute. */
  readonly obeyedFiles: readonly string[];
  /** The policy for every program that the session starts. */
  readonly sandbox: Sandbox;
  /** The tools of the session's last request before it was resumed. Empty in a new session. */
  readonly offered: readonly ToolDefinition[];
  /** The person at the screen. Absent in a run without a screen. */
  readonly person?: Person;
  /** Shows a notice to the person: on the screen, or in the output of a run without a screen. */
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
  /** The rules of the settings and the command line, and rules that the user has allowed since. */
  readonly rules: Rule[];
}
