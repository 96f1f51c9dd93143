import { SETTINGS } from "./definitions.ts";
import { nearestName } from "./nearest-name.ts";
import { settingFromText } from "./setting-text.ts";
import type { SettingName } from "./settings.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The meaning of a variable: the text of a setting, or a name that resembles a setting and is none. */
export type FoundVariable =
  | { readonly kind: "setting"; readonly variable: string; readonly name: SettingName; readonly value: unknown }
  | { readonly kind: "unknown"; readonly variable: string; readonly value: unknown; readonly meant?: string };

const PREFIX = "PALIMPSEST_";
/** The short name of `compaction.autoPercent`; the long one is stronger. */
const SHORT_PERCENT = "PALIMPSEST_AUTOCOMPACT_PCT";

/** The variable that sets a setting: `clearing.keepNewest` is `PALIMPSEST_CLEARING_KEEP_NEWEST`. */
export function variableOf(name: SettingName): string {
  const words = name.replace(/([a-z])([A-Z])/g, "$1_$2").replaceAll(".", "_");
  return `${PREFIX}${words.toUpperCase()}`;
}

/** Built once, because it is used at the beginning of every turn. */
const NAMES = Object.keys(SETTINGS) as SettingName[];
const VARIABLES: ReadonlyMap<string, SettingName> = new Map([
  [SHORT_PERCENT, "compaction.autoPercent"],
  ...NAMES.map((name) => [variableOf(name), name] as const),
]);
const GROUPS = new Set(NAMES.filter((name) => name.includes(".")).map((name) => groupOf(variableOf(name))));

/** Returns the settings in an environment, the weaker first. */
export function* findVariables(environment: Environment): Generator<FoundVariable> {
  for (const [variable, name] of VARIABLES) {
    const text = environment[variable];
    if (text !== undefined) {
      yield { kind: "setting", variable, name, value: settingFromText(SETTINGS[name].is, text) };
    }
  }
  for (const [variable, value] of Object.entries(environment)) {
    if (!variable.startsWith(PREFIX) || VARIABLES.has(variable) || value === undefined) continue;
    // Programs may have variables of their own with this prefix, such as PALIMPSEST_HOME.
    const meant = nearestName(variable, [...VARIABLES.keys()], 2);
    if (meant !== undefined) yield { kind: "unknown", variable, value, meant };
    else if (GROUPS.has(groupOf(variable))) yield { kind: "unknown", variable, value };
  }
}

/** `PALIMPSEST_CLEARING_KEEP_NEWEST` belongs to `CLEARING`; `PALIMPSEST_CACHE` to nothing. */
function groupOf(variable: string): string | undefined {
  const [group, ...rest] = variable.slice(PREFIX.length).split("_");
  return rest.length === 0 ? undefined : group;
}
