import { basename } from "node:path";
import { PROFILES, type Profile, type ResolvedSettings, readSettings, type SettingName } from "palimpsest";
import { table } from "../text/table.ts";
import { engineSettings } from "../workspace/engine-settings.ts";
import { mergeJsonFile } from "../workspace/private-files.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { inProject } from "./open-project.ts";
import { oneOf, readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

/** Shows the profile and the settings that differ from the defaults. With a name, chooses the profile. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS.config);
  const chosen = oneOf("config", positionals[0], PROFILE_NAMES);
  return inProject(terminal, async ({ places }) => {
    if (chosen !== undefined) await writeSetting(places.engineSettings, "profile", chosen);
    const resolved = await readSettings({ settingsFrom: engineSettings(places, terminal.environment) });
    for (const { message } of resolved.problems) terminal.say(message, "warning");
    const changed = changedSettings(resolved, places.engineSettings);
    const { profile } = resolved.settings;
    if (chosen !== undefined && profile !== chosen) {
      terminal.say(
        `The profile is still ${profile}: it is set by ${changed.find(({ name }) => name === "profile")?.from}, which overrides your choice.`,
        "warning",
      );
    }
    await terminal.print(
      values.json ? JSON.stringify({ profile, changed }) : configText(resolved, places.engineSettings),
    );
    return EXIT.done;
  });
}

export const PROFILE_NAMES = Object.keys(PROFILES) as readonly Profile[];

/** A setting that differs from its default, with the source of its value. */
interface ChangedSetting {
  readonly name: SettingName;
  readonly value: unknown;
  readonly from: string;
}

/** Lists the settings that differ from the defaults, by name. */
function changedSettings({ settings, origins }: ResolvedSettings, file: string): readonly ChangedSetting[] {
  const names = Object.keys(origins) as SettingName[];
  return names.toSorted().map((name) => ({ name, value: settings[name], from: originText(origins[name]!, file) }));
}

/** Describes the profile, and each setting that differs from its default. */
function configText(resolved: ResolvedSettings, file: string): string {
  const { profile } = resolved.settings;
  const changed = changedSettings(resolved, file);
  const rows = changed.map(({ name, value, from }) => [name, valueText(value), from]);
  return [
    `Profile ${profile}. ${PROFILES[profile].about}`,
    "",
    ...(rows.length === 0
      ? [`All settings have their default values. To change one, edit ${file}.`]
      : ["Settings that differ from the defaults:", table(rows)]),
  ].join("\n");
}

/**
 * Writes a setting into the user's settings file, and keeps the other settings. @param value undefined removes the
 * setting
 */
export async function writeSetting(file: string, name: SettingName, value: unknown): Promise<void> {
  await mergeJsonFile(file, { [name]: value });
}

export function originText(origin: NonNullable<ResolvedSettings["origins"][SettingName]>, file: string): string {
  switch (origin) {
    case "code":
      return "command line";
    case "environment":
      return "environment variable";
    case "flags":
      return "flag service";
    case "file":
      return basename(file);
  }
}

export function valueText(value: unknown): string {
  return typeof value === "string"
    ? value
    : typeof value === "number"
      ? value.toLocaleString("en-US")
      : JSON.stringify(value);
}
