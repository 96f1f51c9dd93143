import { readSettings } from "palimpsest";
import { COMMANDS } from "../cli/command-list.ts";
import { changedSettings, configText, PROFILE_NAMES, writeSetting } from "../cli/engine-config.ts";
import { engineSettings } from "../workspace/engine-settings.ts";
import { EXIT } from "./exit-codes.ts";
import { inProject } from "./open-project.ts";
import { oneOf, readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

/** Shows the profile and the settings that differ from the defaults; with a name, chooses the profile. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS.config);
  const wanted = oneOf("config", positionals[0], PROFILE_NAMES);
  return inProject(terminal, async ({ places }) => {
    if (wanted !== undefined) await writeSetting(places.engineSettings, "profile", wanted);
    const resolved = await readSettings({ settingsFrom: engineSettings(places, terminal.environment) });
    for (const { message } of resolved.problems) terminal.say(message, "warning");
    const changed = changedSettings(resolved, places.engineSettings);
    const { profile } = resolved.settings;
    if (wanted !== undefined && profile !== wanted) {
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
