import { profileValues } from "./profiles.ts";
import { type Profile, SETTINGS, type SettingKind, type SettingName, type Settings } from "./settings.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where settings come from, the weakest first: defaults, profile, file, flags, environment. */
export interface SettingSources {
  /** Values by name, as they stand in a settings file. @default none */
  readonly file?: unknown;
  /** Values by name, as the flag service gives them. @default none */
  readonly flags?: Readonly<Record<string, unknown>>;
  /** @default none */
  readonly environment?: Environment;
}

/** A value that was given and is not used. */
export interface SettingProblem {
  readonly source: "file" | "flags" | "environment";
  readonly name: string;
  readonly value: unknown;
  readonly because: string;
}

export interface ResolvedSettings {
  readonly settings: Settings;
  readonly problems: readonly SettingProblem[];
}

/** Puts the settings together. A value that does not fit is told, and the next weaker one holds. */
export function resolveSettings({ file, flags = {}, environment = {} }: SettingSources): ResolvedSettings {
  const problems: SettingProblem[] = [];
  const given: Partial<Record<SettingName, unknown>> = {};

  const take = (source: SettingProblem["source"], name: string, value: unknown): void => {
    const because = isKnown(name) ? misfit(SETTINGS[name].is, value) : "there is no setting of this name";
    if (because === undefined) given[name as SettingName] = value;
    else problems.push({ source, name, value, because });
  };
  if (isRecord(file)) {
    // The schema is for editors, and no setting.
    const { $schema: _, ...given } = file;
    for (const [name, value] of Object.entries(given)) take("file", name, value);
  } else if (file !== undefined) {
    problems.push({ source: "file", name: "", value: file, because: "it is no JSON object" });
  }
  for (const [name, value] of Object.entries(flags)) take("flags", name, value);
  for (const { name, value } of fromEnvironment(environment)) take("environment", name, value);
  const profile = (given.profile as Profile | undefined) ?? DEFAULTS.profile;
  const settings = { ...DEFAULTS, ...profileValues(profile), ...given } as Settings;
  return { settings: Object.freeze(settings), problems };
}

const DEFAULTS = Object.fromEntries(
  Object.entries(SETTINGS).map(([name, { default: standard }]) => [name, standard]),
) as unknown as Settings;

/** The variable that sets a setting: `clearing.keepNewest` is `PALIMPSEST_CLEARING_KEEP_NEWEST`. */
export function variableOf(name: SettingName): string {
  const words = name.replace(/([a-z])([A-Z])/g, "$1_$2").replaceAll(".", "_");
  return `PALIMPSEST_${words.toUpperCase()}`;
}

/** Read at the beginning of every turn: made once. */
const VARIABLES: readonly (readonly [SettingName, string])[] = (Object.keys(SETTINGS) as SettingName[]).map((name) => [
  name,
  variableOf(name),
]);

/** Switches under the names by which such systems know them. */
const SWITCHES: Readonly<Record<string, SettingName>> = {
  DISABLE_COMPACT: "compaction.enabled",
  DISABLE_AUTO_COMPACT: "compaction.auto",
  DISABLE_MICROCOMPACT: "clearing.enabled",
};

/** Another agent's name for the percentage, whatever stands before it; read where ours is not set. */
const PERCENT_ALIAS = /_AUTOCOMPACT_PCT_OVERRIDE$/;

function* fromEnvironment(environment: Environment): Generator<{ name: SettingName; value: unknown }> {
  const alias = Object.keys(environment).find((variable) => PERCENT_ALIAS.test(variable));
  const percent = environment["PALIMPSEST_AUTOCOMPACT_PCT"] ?? (alias === undefined ? undefined : environment[alias]);
  if (percent !== undefined) yield { name: "compaction.autoPercent", value: Number(percent) };
  for (const [name, variable] of VARIABLES) {
    const text = environment[variable];
    if (text !== undefined) yield { name, value: fromText(SETTINGS[name].is, text) };
  }
  for (const [variable, name] of Object.entries(SWITCHES)) {
    const disabled = toBoolean(environment[variable]);
    if (disabled !== undefined) yield { name, value: disabled ? "off" : "on" };
  }
}

function fromText({ kind, ...rest }: SettingKind, text: string): unknown {
  if (kind === "count" || kind === "percent" || kind === "amount") return text.trim() === "" ? text : Number(text);
  if (kind === "names") return text.split(",").map((name) => name.trim());
  if (kind === "counts-by-name") {
    return Object.fromEntries(text.split(",").map((pair) => [pair.split("=")[0]!.trim(), Number(pair.split("=")[1])]));
  }
  const onOff = "of" in rest && rest.of.includes("on") ? toBoolean(text) : undefined;
  return onOff === undefined ? text : onOff ? "on" : "off";
}

function toBoolean(text: string | undefined): boolean | undefined {
  const word = text?.trim().toLowerCase() ?? "";
  if (["1", "true", "yes", "on"].includes(word)) return true;
  return ["0", "false", "no", "off"].includes(word) ? false : undefined;
}

/** Why a value is not one of its kind; undefined if it is. */
function misfit(is: SettingKind, value: unknown): string | undefined {
  switch (is.kind) {
    case "choice":
      return is.of.includes(value as string) ? undefined : `it is one of ${is.of.join(", ")}`;
    case "count":
      return Number.isSafeInteger(value) && (value as number) >= is.atLeast
        ? undefined
        : `it is a whole number, at least ${is.atLeast}`;
    case "percent":
      return typeof value === "number" && value > 0 && value <= 100 ? undefined : "it is above 0 and at most 100";
    case "text":
      return typeof value === "string" ? undefined : "it is a text";
    case "amount":
      return Number.isFinite(value) && (value as number) >= 0 ? undefined : "it is an amount, at least 0";
    case "names":
      return Array.isArray(value) && value.every((name) => typeof name === "string")
        ? undefined
        : "it is a list of names";
    case "counts-by-name":
      return isRecord(value) &&
        Object.values(value).every((number) => Number.isSafeInteger(number) && (number as number) >= 0)
        ? undefined
        : "it is whole numbers by name";
  }
}

function isKnown(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
