import { PROFILES, type Profile } from "palimpsest";
import { PROFILE_NAMES } from "../cli/engine-config.ts";
import type { Dialog, DialogAnswer } from "./dialogs/dialog.ts";
import { plain } from "./text/line.ts";

/** Asks which profile is to hold. */
export function profileDialog(current: Profile): Dialog {
  return {
    title: "Which profile?",
    body: PROFILE_NAMES.map((name) => plain(`${name}: ${PROFILES[name].about}`)),
    options: PROFILE_NAMES.map((name) => ({
      value: name,
      label: name,
      ...(name === current ? { about: "now" } : {}),
    })),
  };
}

export function chosenProfile(answer: DialogAnswer): Profile | undefined {
  return PROFILE_NAMES.find((name) => answer.kind === "chosen" && answer.values[0] === name);
}
