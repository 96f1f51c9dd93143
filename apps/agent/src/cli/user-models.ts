import { agentHomeOf } from "@palimpsest/coordination/project-places";
import type { ExtraModels } from "palimpsest/core";
import type { Terminal } from "../commands/terminal.ts";
import { readUserSettings } from "../permissions/load-settings.ts";

/** Reads the facts about models (window, limits, prices) in the user's settings. They override our table. */
export async function userModels(environment: Terminal["environment"]): Promise<ExtraModels> {
  return (await readUserSettings(agentHomeOf(environment))).settings.models ?? {};
}
