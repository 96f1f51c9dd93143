import { type SettingsSource, settingsFile } from "palimpsest";

import type { Environment } from "./command-environment.ts";
import type { Places } from "./places.ts";

/** Variables of other agents that switch automatic compaction off. */
const SWITCHES: readonly string[] = ["DISABLE_COMPACT", "DISABLE_AUTO_COMPACT"];
const OUR_SWITCH = "PALIMPSEST_COMPACTION";
/** The suffix of another agent's variable for the percentage. */
const PERCENT = /_AUTOCOMPACT_PCT_OVERRIDE$/;
const OUR_PERCENT = "PALIMPSEST_AUTOCOMPACT_PCT";
/** Where the agent differs from the library. A person who works in a terminal comes back, so pings pay. */
const AGENT_DEFAULTS: SettingsSource["defaults"] = { keepWarm: "on" };
const YES = ["1", "true", "yes", "on"];
const NO = ["0", "false", "no", "off"];

/** The sources of engine settings besides the command line. */
export function engineSettings(
  { engineSettings: path }: Places,
  environment: Environment,
  flags?: SettingsSource["flags"],
): SettingsSource {
  const file = settingsFile(path);
  return { file, environment: withVariablesOfOthers(environment), flags, defaults: AGENT_DEFAULTS };
}

/**
 * Translates other agents' variables to ours, because a user who set them for one agent wants the same here. The
 * library does not know these variables. Our own variables take precedence.
 */
export function withVariablesOfOthers(environment: Environment): Environment {
  const translated: Record<string, string> = {};
  for (const theirs of SWITCHES) {
    const word = environment[theirs]?.trim().toLowerCase() ?? "";
    if (YES.includes(word)) translated[OUR_SWITCH] = "off";
    else if (NO.includes(word)) translated[OUR_SWITCH] ??= "auto";
  }
  const percent = Object.keys(environment).find((variable) => PERCENT.test(variable));
  if (percent !== undefined && environment[percent] !== undefined) translated[OUR_PERCENT] = environment[percent];
  return { ...translated, ...environment };
}
