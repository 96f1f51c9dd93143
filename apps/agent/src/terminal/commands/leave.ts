import type { ScreenCommand } from "./screen-command.ts";

export const leave: ScreenCommand = {
  name: "exit",
  about: "leaves; palimpsest --continue goes on from here",
  when: "always",
  open: async (context) => context.leave(),
};
