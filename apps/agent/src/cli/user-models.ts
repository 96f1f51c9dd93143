import type { ExtraModels } from "palimpsest/core";
import { readUserSettings } from "../permissions/load-settings.ts";
import { agentHomeOf } from "../workspace/places.ts";
import type { Terminal } from "./terminal.ts";

/** What the user's own settings say of models: windows, limits and prices that win over the table. */
export async function userModels(environment: Terminal["environment"]): Promise<ExtraModels> {
  return (await readUserSettings(agentHomeOf(environment))).settings.models ?? {};
}
