import { join } from "node:path";
import type { ProgramPorts } from "../permissions/enclose-program.ts";
import { loadSettings } from "../permissions/load-settings.ts";
import type { Rule } from "../permissions/rule.ts";
import { openSessionSandbox } from "../permissions/session-sandbox.ts";
import type { Sandbox } from "../sandbox/open-sandbox.ts";
import type { Environment } from "../workspace/command-environment.ts";
import { createPathGuard } from "../workspace/path-guard.ts";
import type { TemporaryProject } from "./temporary-project.ts";
import { SDK_FOLDER } from "./tool-server.ts";

export interface ProgramPortsOptions {
  readonly rules?: readonly Rule[];
  /** @default the real one */
  readonly sandbox?: Sandbox;
  readonly wanted?: "required" | "if-present";
  readonly environment?: Environment;
}

/** What hooks and servers of a project are started with: the real sandbox, unless the test brings another. */
export async function programPorts(
  { folder, home }: Pick<TemporaryProject, "folder" | "home">,
  { rules = [], sandbox, wanted = "if-present", environment = {} }: ProgramPortsOptions = {},
): Promise<ProgramPorts> {
  const guard = await createPathGuard(folder);
  const places = { home, agentHome: join(home, ".palimpsest") };
  const { settings } = await loadSettings({ guard, agentHome: places.agentHome });
  const around = { ...process.env, HOME: home, ...environment };
  const opened = await openSessionSandbox({
    settings: { ...settings, rules, readablePaths: [SDK_FOLDER] },
    guard,
    places,
    sessionFolder: join(places.agentHome, "session"),
    environment: around,
  });
  return {
    sandbox: sandbox ?? opened,
    settings: { sandbox: wanted },
    permissions: { rules },
    guard,
    places,
    environment: around,
  };
}
