import { PROFILES, type Profile } from "palimpsest";
import { PROFILE_NAMES, writeSetting } from "../commands/config.ts";
import type { Dialog, DialogAnswer } from "../extension/slash-command.ts";
import { plain } from "../text/line.ts";

/** The question for the profile. */
function profileDialog(current: Profile): Dialog {
  return {
    title: "Choose a profile",
    body: PROFILE_NAMES.map((name) => plain(`${name}: ${PROFILES[name].about}`)),
    options: PROFILE_NAMES.map((name) => ({
      value: name,
      label: name,
      ...(name === current ? { about: "now" } : {}),
    })),
  };
}

interface ChooseProfileOptions {
  readonly file: string;
  readonly current: Profile;
  ask(dialog: Dialog, signal?: AbortSignal): Promise<DialogAnswer>;
  say(text: string): void;
}

/** Lets the person choose a profile, and saves it in the user's settings file. */
export async function chooseProfile(options: ChooseProfileOptions, signal?: AbortSignal): Promise<void> {
  const { file, current, ask, say } = options;
  const wanted = chosenProfile(await ask(profileDialog(current), signal));
  if (wanted !== undefined && wanted !== current) await keepProfile(wanted, { file, say });
}

export async function keepProfile(
  profile: Profile,
  { file, say }: Pick<ChooseProfileOptions, "file" | "say">,
): Promise<void> {
  await writeSetting(file, "profile", profile);
  say(`Profile ${profile}. It applies from your next message on, and is saved in ${file}.`);
}

function chosenProfile(answer: DialogAnswer): Profile | undefined {
  return PROFILE_NAMES.find((name) => answer.kind === "chosen" && answer.values[0] === name);
}
