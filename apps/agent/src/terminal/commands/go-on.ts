import type { SlashCommand } from "./command.ts";

export const goOn: SlashCommand = {
  name: "continue",
  about: "goes on where a turn was cut short",
  open: async (context) => context.goOn(),
};
