import type { SettingsSource } from "palimpsest";
import { settingsFile } from "palimpsest/settings-file";
import type { Environment } from "./command-environment.ts";
import type { Places } from "./places.ts";

/** Switches of other programs of this sort, and the variable of ours that says the same. */
const SWITCHES: Readonly<Record<string, string>> = {
  DISABLE_COMPACT: "PALIMPSEST_COMPACTION_ENABLED",
  DISABLE_AUTO_COMPACT: "PALIMPSEST_COMPACTION_AUTO",
  DISABLE_MICROCOMPACT: "PALIMPSEST_CLEARING_ENABLED",
};
/** Another agent's name for the percentage, whatever stands before it. */
const PERCENT = /_AUTOCOMPACT_PCT_OVERRIDE$/;
const OUR_PERCENT = "PALIMPSEST_AUTOCOMPACT_PCT";
const YES = ["1", "true", "yes", "on"];
const NO = ["0", "false", "no", "off"];

/** Where the engine's settings come from in this program, beside its command line. */
export function engineSettings(
  { engineSettings: path }: Places,
  environment: Environment,
  flags?: SettingsSource["flags"],
): SettingsSource {
  const file = settingsFile(path);
  return { file, environment: withVariablesOfOthers(environment), ...(flags === undefined ? {} : { flags }) };
}

/**
 * The environment with the variables of other programs in the words of ours: whoever has set them for one agent means this one,
 * too. The library does not know them. A variable of ours that is set is stronger.
 */
export function withVariablesOfOthers(environment: Environment): Environment {
  const translated: Record<string, string> = {};
  for (const [theirs, ours] of Object.entries(SWITCHES)) {
    const word = environment[theirs]?.trim().toLowerCase() ?? "";
    if (YES.includes(word)) translated[ours] = "off";
    else if (NO.includes(word)) translated[ours] = "on";
  }
  const percent = Object.keys(environment).find((variable) => PERCENT.test(variable));
  if (percent !== undefined && environment[percent] !== undefined) translated[OUR_PERCENT] = environment[percent];
  return { ...translated, ...environment };
}
