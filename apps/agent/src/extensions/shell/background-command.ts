import type { SlashCommand } from "../../extension/slash-command.ts";
import type { BackgroundCommands } from "./background-commands.ts";

/** Moves the running command to the background, so that the model goes on. */
export function backgroundCommand(background: Pick<BackgroundCommands, "take">): SlashCommand {
  return {
    name: "background",
    about: "move the running command to the background (ctrl-b)",
    when: "always",
    async open({ say }) {
      if ((await background.take()) === 0) say("No command is running that can be moved to the background.");
    },
  };
}
