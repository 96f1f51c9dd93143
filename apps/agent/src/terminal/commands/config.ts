import { configText, PROFILE_NAMES } from "../../cli/engine-config.ts";
import { chooseProfile, keepProfile } from "../choose-profile.ts";
import type { ScreenCommand } from "./screen-command.ts";

export const config: ScreenCommand = {
  name: "config",
  takes: "[PROFILE]",
  about: "show the settings that differ from the defaults; choose a profile",
  when: "always",
  async open({ words, agent: { session }, project: { places }, ask, say }) {
    const resolved = session.settings();
    const named = PROFILE_NAMES.find((name) => name === words);
    const [file, current] = [places.engineSettings, resolved.settings.profile];
    if (named !== undefined) return keepProfile(named, { file, say });
    say(configText(resolved, file));
    await chooseProfile({ file, current, ask, say });
  },
};
