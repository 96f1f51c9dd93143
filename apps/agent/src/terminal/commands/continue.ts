import type { ScreenCommand } from "./screen-command.ts";

export const continueTurn: ScreenCommand = {
  name: "continue",
  about: "goes on where a turn was cut short",
  open: async (context) => context.continueTurn(),
};
