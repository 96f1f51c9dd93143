import type { ScreenCommand } from "./screen-command.ts";

export const continueTurn: ScreenCommand = {
  name: "continue",
  about: "continue an interrupted turn",
  open: async (context) => context.continueTurn(),
};
