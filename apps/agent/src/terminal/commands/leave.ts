import type { ScreenCommand } from "./screen-command.ts";

export const leave: ScreenCommand = {
  name: "exit",
  about: "exit; palimpsest --continue resumes the session",
  when: "always",
  open: async (context) => context.leave(),
};
