import type { SlashCommand } from "../../extension/slash-command.ts";

export const goOn: SlashCommand = {
  name: "continue",
  about: "goes on where a turn was cut short",
  open: async (context) => context.goOn(),
};
