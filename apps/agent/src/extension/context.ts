import type { Clock, Provider, Store, ToolDefinition } from "palimpsest";
import type { Operations } from "../operations/open-operations.ts";
import type { PermissionMode } from "../permissions/decide-permission.ts";
import type { Rule } from "../permissions/rule.ts";
import type { AgentSettings } from "../permissions/settings.ts";
import type { Environment } from "../workspace/command-environment.ts";
import type { PathGuard } from "../workspace/path-guard.ts";
import type { Places } from "../workspace/places.ts";
import type { AgentSession } from "./open-agent-session.ts";
import type { Person } from "./person.ts";

/** What an extension is opened with. Everything that extensions share is in here. */
export interface ExtensionContext {
  /** The project's folder, links followed. */
  readonly folder: string;
  readonly places: Places;
  readonly environment: Environment;
  readonly store: Store;
  readonly provider: Provider;
  /** The model that answers now. */
  readonly model: () => string;
  readonly clock: Clock;
  /** The id of the session, which is opened after its extensions. */
  readonly sessionId: string;
  /** The folder of the session's own files. */
  readonly sessionFolder: string;
  readonly settings: AgentSettings;
  /** Keeps paths inside the folders that tools may use. */
  readonly guard: PathGuard;
  readonly permissions: Permissions;
  /** The tools that the session was offered before it was resumed. Empty in a new session. */
  readonly offered: readonly ToolDefinition[];
  /** Absent: nobody is at the screen. */
  readonly person?: Person;
  /** Reports an event to everybody who listens to the session. */
  readonly emit: AgentSession["events"]["emit"];
  /** What the operator has set up: telemetry and flags. */
  readonly operations?: Pick<Operations, "onEvent" | "flags" | "problems">;
}

/** What tools may do now. */
export interface Permissions {
  readonly mode: () => PermissionMode;
  readonly setMode: (mode: PermissionMode) => void;
  /** Rules of the settings and the command line, and those that the user has allowed since. */
  readonly rules: Rule[];
}
