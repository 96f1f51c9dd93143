import { checkSetting, isRecord } from "./check-setting.ts";
import { SETTINGS } from "./definitions.ts";
import { profileValues } from "./profiles.ts";
import { type Environment, findVariables } from "./setting-variables.ts";
import type { Profile, SettingName, Settings } from "./settings.ts";

/** Sources of settings, the strongest first. A value that none of them has comes from the profile, then from the defaults. */
export interface SettingSources {
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

export type SettingOrigins = Readonly<Partial<Record<SettingName, keyof SettingSources | "profile">>>;

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
