// Merges the settings of all sources: code, environment variables, flags, the settings file and the defaults.

import { findProblems } from "../schema/check.ts";
import { nearestName } from "../schema/check-options.ts";
import { describeSchema } from "../schema/describe.ts";
import { asObject } from "../schema/json-fields.ts";
import { SETTINGS } from "./definitions.ts";
import { settingFromText } from "./from-text.ts";
import { DEFAULT_POLICY_SETTINGS, type DefaultPolicySettings, type SettingName, type Settings } from "./settings.ts";

/** Merges the settings of all sources. Reports an invalid value, and uses the next weaker source instead. */
export function resolveSettings(
  { code = {}, environment = {}, flags = {}, file, defaults: hostDefaults = {} }: SettingSources,
  policy: PolicyKind = "default",
): ResolvedSettings {
  const problems: SettingProblem[] = [];
  const given: Partial<Record<SettingName, unknown>> = {};
  const origins: { -readonly [Name in keyof SettingOrigins]: SettingOrigins[Name] } = {};

  const take = (source: SettingProblem["source"], name: string, value: unknown, where: string): void => {
    const message = checkSetting(name, value, where) ?? checkUse(name, value, where, policy);
    if (message === undefined) {
      given[name as SettingName] = value;
      origins[name as SettingName] = source;
    } else problems.push({ source, name, value, message });
  };
  const defaults: Record<string, unknown> = { ...DEFAULTS };
  for (const [name, value] of Object.entries(hostDefaults)) {
    const message = checkSetting(name, value, " in the defaults of the host");
    if (message === undefined) defaults[name] = value;
    else problems.push({ source: "code", name, value, message });
  }
  // Weakest source first: later values replace earlier ones.
  const object = asObject(file);
  if (object !== undefined) {
    // `$schema` is for editors and not a setting.
    const { $schema: _, ...values } = object;
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
  const settings = { ...defaults, ...given } as Settings;
  return { settings: Object.freeze(settings), defaults: defaults as unknown as Settings, origins, problems };
}

/** Sources of settings, strongest first. A value that no source has is the default. */
interface SettingSources {
  /** Values by name, from code or a command line. @default none */
  readonly code?: Readonly<Record<string, unknown>>;
  /** @default none */
  readonly environment?: Environment;
  /** Values by name, from the flag service. @default none */
  readonly flags?: Readonly<Record<string, unknown>>;
  /** Values by name, from the settings file. @default none */
  readonly file?: unknown;
  /** Values of the host in place of the library's defaults. @default none */
  readonly defaults?: Readonly<Record<string, unknown>>;
}

type SourceName = Exclude<keyof SettingSources, "defaults">;

/** `own`: the host passes a policy, so a setting that only shapes the default policy is a problem. */
export type PolicyKind = "default" | "own";

/** A value that a source has but that is not used. */
export interface SettingProblem {
  readonly source: SourceName;
  /** The name of the setting, or of an unknown variable; empty for a file that cannot be read. */
  readonly name: string;
  readonly value: unknown;
  /** The problem, its place, and what to write instead, in whole sentences. */
  readonly message: string;
}

/** The settings in effect, the source of each value, and the problems of the sources. */
export interface ResolvedSettings {
  readonly settings: Settings;
  /** The values of settings that no source has. */
  readonly defaults: Settings;
  /** The source of each value that is not a default. */
  readonly origins: SettingOrigins;
  readonly problems: readonly SettingProblem[];
}

type SettingOrigins = Readonly<Partial<Record<SettingName, SourceName>>>;

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

/** Parses `NAME=VALUE`, the form of a setting on a command line. */
export function parseSetting(text: string): ParsedSetting {
  const at = text.indexOf("=");
  if (at < 1) return { kind: "problem", message: "Write the name of a setting, =, and its value." };
  const name = text.slice(0, at).trim();
  const value = isSettingName(name) ? settingFromText(SETTINGS[name], text.slice(at + 1)) : text.slice(at + 1);
  const message = checkSetting(name, value, "");
  return message === undefined ? { kind: "setting", settings: { [name]: value } } : { kind: "problem", message };
}

type ParsedSetting =
  | { readonly kind: "setting"; readonly settings: Partial<Settings> }
  | { readonly kind: "problem"; readonly message: string };

/** Returns why a value is invalid for a setting, in sentences for the user; undefined if the value is valid. */
function checkSetting(name: string, value: unknown, where: string): string | undefined {
  if (!isSettingName(name)) return `Unknown setting ${JSON.stringify(name)}${where}. ${hintFor(name)}`;
  const schema = SETTINGS[name];
  if (findProblems(schema, value).length === 0) return undefined;
  return `Setting "${name}" is ${shown(value)}${where}. It must be ${describeSchema(schema)}.`;
}

/** Returns why a valid setting has no effect beside the policy; undefined if the session uses the setting. */
function checkUse(name: string, value: unknown, where: string, policy: PolicyKind): string | undefined {
  if (policy === "default" || !Object.hasOwn(DEFAULT_POLICY_SETTINGS, name)) return undefined;
  const place = DEFAULT_POLICY_SETTINGS[name as keyof DefaultPolicySettings];
  return `Setting "${name}" is ${shown(value)}${where}, and has no effect, because the session has its own policy. ${place}, and remove the setting.`;
}

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

function hintFor(name: string): string {
  const meant = nearestName(name, Object.keys(SETTINGS));
  return meant === undefined ? "docs/defaults.md lists all settings." : `Did you mean "${meant}"?`;
}

const MAX_SHOWN = 80;

function shown(value: unknown): string {
  // JSON cannot express NaN.
  if (typeof value === "number") return String(value);
  let text: string;
  try {
    text = JSON.stringify(value) ?? String(value);
  } catch {
    text = String(value);
  }
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
}

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable that sets a setting, or whose name only resembles one. */
type FoundVariable =
  | { readonly kind: "setting"; readonly variable: string; readonly name: SettingName; readonly value: unknown }
  | { readonly kind: "unknown"; readonly variable: string; readonly value: unknown; readonly meant?: string };

const PREFIX = "PALIMPSEST_";
/** The short variable for `compactAt`. The long variable is stronger. */
const SHORT_PERCENT = "PALIMPSEST_AUTOCOMPACT_PCT";

/** Built once, because every turn reads the variables at its start. */
const NAMES = Object.keys(SETTINGS) as SettingName[];
const VARIABLES: ReadonlyMap<string, SettingName> = new Map([
  [SHORT_PERCENT, "compactAt"],
  ...NAMES.map((name) => [variableOf(name), name] as const),
]);
const GROUPS = new Set(NAMES.filter((name) => name.includes(".")).map((name) => groupOf(variableOf(name))));

/** Returns the variables of an environment that belong to settings, weaker ones first. */
function* findVariables(environment: Environment): Generator<FoundVariable> {
  for (const [variable, name] of VARIABLES) {
    const text = environment[variable];
    if (text !== undefined) {
      yield { kind: "setting", variable, name, value: settingFromText(SETTINGS[name], text) };
    }
  }
  for (const [variable, value] of Object.entries(environment)) {
    if (!variable.startsWith(PREFIX) || VARIABLES.has(variable) || value === undefined) continue;
    // Other programs may use the prefix, too, such as for PALIMPSEST_HOME.
    const meant = nearestName(variable, [...VARIABLES.keys()], 2);
    if (meant !== undefined) yield { kind: "unknown", variable, value, meant };
    else if (GROUPS.has(groupOf(variable))) yield { kind: "unknown", variable, value };
  }
}

/** Returns the variable that sets a setting: `PALIMPSEST_TOOL_RESULTS_KEPT_DAYS` for `toolResults.keptDays`. */
export function variableOf(name: SettingName): string {
  const words = name.replace(/([a-z])([A-Z])/g, "$1_$2").replaceAll(".", "_");
  return `${PREFIX}${words.toUpperCase()}`;
}

/** Returns the group in the name of a variable: `AGENTS` for `PALIMPSEST_AGENTS_RUNNING`, none for `PALIMPSEST_NOTES`. */
function groupOf(variable: string): string | undefined {
  const [group, ...rest] = variable.slice(PREFIX.length).split("_");
  return rest.length === 0 ? undefined : group;
}
