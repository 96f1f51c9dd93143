import type { SlashCommand } from "../../extension/slash-command.ts";

export const leave: SlashCommand = {
  name: "exit",
  about: "leaves; palimpsest --continue goes on from here",
  when: "always",
  open: async (context) => context.leave(),
};
