import { profileValues, SETTINGS } from "./definitions.ts";
import { type Profile, type SettingKind, type SettingName, type Settings, settingFromText } from "./settings.ts";

/** Returns the name that a mistyped one most likely means; undefined if none is near. */
export function nearestName(typed: string, names: readonly string[], mostEdits = 3): string | undefined {
  let nearest: { readonly name: string; readonly edits: number } | undefined;
  for (const name of names) {
    const edits = editsBetween(typed.toLowerCase(), name.toLowerCase());
    if (edits <= mostEdits && edits < (nearest?.edits ?? Number.POSITIVE_INFINITY)) nearest = { name, edits };
  }
  return nearest?.name;
}

/** The edit distance: letters to insert, delete or change. */
function editsBetween(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const here = [row];
    for (let column = 1; column <= other.length; column++) {
      const changed = one[row - 1] === other[column - 1] ? 0 : 1;
      here[column] = Math.min(above[column]! + 1, here[column - 1]! + 1, above[column - 1]! + changed);
    }
    above = here;
  }
  return above[other.length]!;
}

/** Returns why a value is not valid for a setting, in sentences for the person who gave it; undefined if it is valid. */
function checkSetting(name: string, value: unknown, where: string): string | undefined {
  if (!isSettingName(name)) return `Unknown setting ${JSON.stringify(name)}${where}. ${hintFor(name)}`;
  const { is } = SETTINGS[name];
  if (fits(is, value)) return undefined;
  return `Setting "${name}" is ${shown(value)}${where}. It must be ${neededFor(is)}.`;
}

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

function hintFor(name: string): string {
  const meant = nearestName(name, Object.keys(SETTINGS));
  return meant === undefined ? "docs/defaults.md lists all settings." : `Did you mean "${meant}"?`;
}

function fits(is: SettingKind, value: unknown): boolean {
  switch (is.kind) {
    case "choice":
      return is.of.includes(value as string);
    case "count":
      return Number.isSafeInteger(value) && (value as number) >= is.atLeast;
    case "percent":
      return typeof value === "number" && value > 0 && value <= 100;
    case "text":
      return typeof value === "string";
    case "amount":
      return Number.isFinite(value) && (value as number) >= 0;
    case "names":
      return Array.isArray(value) && value.every((name) => typeof name === "string");
    case "counts-by-name":
      return isRecord(value) && Object.values(value).every((one) => Number.isSafeInteger(one) && (one as number) >= 0);
  }
}

function neededFor(is: SettingKind): string {
  switch (is.kind) {
    case "choice":
      return `one of ${is.of.map((word) => JSON.stringify(word)).join(", ")}`;
    case "count":
      return `a whole number, at least ${is.atLeast}`;
    case "percent":
      return "a number above 0 and at most 100";
    case "text":
      return "a text";
    case "amount":
      return "a number, at least 0";
    case "names":
      return "a list of names";
    case "counts-by-name":
      return "an object with a whole number, at least 0, for each name";
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const MAX_SHOWN = 80;

function shown(value: unknown): string {
  // A variable without a number has become NaN, which JSON cannot express.
  if (typeof value === "number") return String(value);
  let text: string;
  try {
    text = JSON.stringify(value) ?? String(value);
  } catch {
    text = String(value);
  }
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The meaning of a variable: the text of a setting, or a name that resembles a setting and is none. */
type FoundVariable =
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
function* findVariables(environment: Environment): Generator<FoundVariable> {
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

/** Sources of settings, the strongest first. A value that none of them has comes from the profile, then from the defaults. */
interface SettingSources {
  /** Values by name, given in code or on a command line. @default none */
  readonly code?: Readonly<Record<string, unknown>>;
  /** @default none */
  readonly environment?: Environment;
  /** Values by name, as the flag service gives them. @default none */
  readonly flags?: Readonly<Record<string, unknown>>;
  /** Values by name, as they stand in a settings file. @default none */
  readonly file?: unknown;
}

/** A value that was given but is not used. */
export interface SettingProblem {
  readonly source: keyof SettingSources;
  /** The name of the setting, or of an unknown variable; empty for a file that cannot be read. */
  readonly name: string;
  readonly value: unknown;
  /** What is wrong, where, and what to write instead, in whole sentences. */
  readonly message: string;
}

/** The settings that hold, the source of each, and the problems of sources. */
export interface ResolvedSettings {
  readonly settings: Settings;
  /** The source of each value that is not a default. */
  readonly origins: SettingOrigins;
  readonly problems: readonly SettingProblem[];
}

type SettingOrigins = Readonly<Partial<Record<SettingName, keyof SettingSources | "profile">>>;

/** Merges the settings of all sources. An invalid value is reported, and the next weaker source applies. */
export function resolveSettings({ code = {}, environment = {}, flags = {}, file }: SettingSources): ResolvedSettings {
  const problems: SettingProblem[] = [];
  const given: Partial<Record<SettingName, unknown>> = {};
  const origins: { -readonly [Name in keyof SettingOrigins]: SettingOrigins[Name] } = {};

  const take = (source: SettingProblem["source"], name: string, value: unknown, where: string): void => {
    const message = checkSetting(name, value, where);
    if (message === undefined) {
      given[name as SettingName] = value;
      origins[name as SettingName] = source;
    } else problems.push({ source, name, value, message });
  };
  // The weakest first: what comes later replaces it.
  if (isRecord(file)) {
    // The schema is for editors, and no setting.
    const { $schema: _, ...values } = file;
    for (const [name, value] of Object.entries(values)) take("file", name, value, " in the settings file");
  } else if (file !== undefined) {
    problems.push({ source: "file", name: "", value: file, message: notAnObject(file) });
  }
  for (const [name, value] of Object.entries(flags)) take("flags", name, value, " in the flag service");
  for (const found of findVariables(environment)) {
    const { variable, value } = found;
    if (found.kind === "setting") take("environment", found.name, value, ` in the variable ${variable}`);
    else
      problems.push({ source: "environment", name: variable, value, message: unknownVariable(variable, found.meant) });
  }
  for (const [name, value] of Object.entries(code)) if (value !== undefined) take("code", name, value, "");
  const profile = (given.profile as Profile | undefined) ?? DEFAULTS.profile;
  const byProfile = profileValues(profile);
  for (const name of Object.keys(byProfile) as SettingName[]) origins[name] ??= "profile";
  const settings = { ...DEFAULTS, ...byProfile, ...given } as Settings;
  return { settings: Object.freeze(settings), origins, problems };
}

const DEFAULTS = Object.fromEntries(
  Object.entries(SETTINGS).map(([name, { default: standard }]) => [name, standard]),
) as unknown as Settings;

function unknownVariable(variable: string, meant: string | undefined): string {
  return `Unknown variable ${variable}. ${meant === undefined ? "docs/defaults.md lists all variables." : `Did you mean ${meant}?`}`;
}

function notAnObject(file: unknown): string {
  const found = typeof file === "string" ? `: ${file}` : "";
  return `The settings file was ignored. It must be a JSON object of names and values${found}.`;
}

/** The part of an OpenFeature client that is used, so that a fleet can plug in its own flag service. */
export interface FlagClient {
  getStringDetails(flag: string, absent: string): Promise<FlagDetails<string>>;
  getNumberDetails(flag: string, absent: number): Promise<FlagDetails<number>>;
  getObjectDetails(flag: string, absent: Absent): Promise<FlagDetails<unknown>>;
}

/** The service's answer for one flag. Plain values would hide a failure: an OpenFeature client never rejects. */
export interface FlagDetails<Value> {
  readonly value: Value;
  readonly errorCode?: string;
  readonly errorMessage?: string;
}

/** `failed`: the service did not answer, so its previous values still apply. */
export type FlagReading =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "absent" }
  | { readonly kind: "unusable"; readonly because: string }
  | { readonly kind: "failed"; readonly because: string };

type Absent = { readonly absent: true };
const ABSENT: Absent = { absent: true };

/** Asks a flag service for every setting; a flag is named like its setting, with `palimpsest.` before it. Never rejects. */
export async function readFlags(client: FlagClient): Promise<ReadonlyMap<SettingName, FlagReading>> {
  const names = Object.keys(SETTINGS) as SettingName[];
  return new Map(await Promise.all(names.map(async (name) => [name, await readFlag(client, name)] as const)));
}

async function readFlag(client: FlagClient, name: SettingName): Promise<FlagReading> {
  try {
    const { details, isAbsent } = await askFor(client, name);
    if (details.errorCode !== undefined) return readError(details, details.errorCode);
    return isAbsent ? { kind: "absent" } : { kind: "value", value: details.value };
  } catch (error) {
    return { kind: "failed", because: error instanceof Error ? error.message : String(error) };
  }
}

interface Asked {
  readonly details: FlagDetails<unknown>;
  readonly isAbsent: boolean;
}

async function askFor(client: FlagClient, name: SettingName): Promise<Asked> {
  const flag = `palimpsest.${name}`;
  switch (SETTINGS[name].is.kind) {
    case "choice":
    case "text": {
      const details = await client.getStringDetails(flag, "");
      return { details, isAbsent: details.value === "" };
    }
    case "count":
    case "percent":
    case "amount": {
      const details = await client.getNumberDetails(flag, Number.NaN);
      return { details, isAbsent: Number.isNaN(details.value) };
    }
    case "names":
    case "counts-by-name": {
      const details = await client.getObjectDetails(flag, ABSENT);
      return { details, isAbsent: (details.value as Partial<Absent> | null)?.absent === true };
    }
  }
}

/** Error codes as OpenFeature names them. */
function readError({ errorMessage }: FlagDetails<unknown>, code: string): FlagReading {
  const because = errorMessage ? `${code}: ${errorMessage}` : code;
  if (code === "FLAG_NOT_FOUND") return { kind: "absent" };
  return { kind: code === "TYPE_MISMATCH" || code === "PARSE_ERROR" ? "unusable" : "failed", because };
}

type ParsedSetting =
  | { readonly kind: "setting"; readonly settings: Partial<Settings> }
  | { readonly kind: "problem"; readonly message: string };

/** Parses `NAME=VALUE`, the form of a setting on a command line. */
export function parseSetting(text: string): ParsedSetting {
  const at = text.indexOf("=");
  if (at < 1) return { kind: "problem", message: "Write the name of a setting, =, and its value." };
  const name = text.slice(0, at).trim();
  const value = isSettingName(name) ? settingFromText(SETTINGS[name].is, text.slice(at + 1)) : text.slice(at + 1);
  const message = checkSetting(name, value, "");
  return message === undefined ? { kind: "setting", settings: { [name]: value } } : { kind: "problem", message };
}
