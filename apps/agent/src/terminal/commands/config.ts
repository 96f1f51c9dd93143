import { configText, PROFILE_NAMES, writeProfile } from "../../cli/engine-config.ts";
import { chosenProfile, profileDialog } from "../choose-profile.ts";
import type { SlashCommand } from "./command.ts";

export const config: SlashCommand = {
  name: "config",
  takes: "[PROFILE]",
  about: "the profile (quality, balanced, economy) and changed settings",
  when: "always",
  async open({ words, agent: { session }, project: { places }, ask, say }) {
    const resolved = session.settings();
    if (words === "") say(configText(resolved, places.engineSettings));
    const { profile } = resolved.settings;
    const wanted = PROFILE_NAMES.find((name) => name === words) ?? chosenProfile(await ask(profileDialog(profile)));
    if (wanted === undefined || wanted === profile) return;
    await writeProfile(places.engineSettings, wanted);
    say(`Profile ${wanted}, from your next message on. It is kept in ${places.engineSettings}.`);
  },
};
