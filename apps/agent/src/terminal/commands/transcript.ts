import type { ScreenCommand } from "./screen-command.ts";

export const transcript: ScreenCommand = {
  name: "transcript",
  about: "show the whole conversation, with search and undo (ctrl-o)",
  when: "always",
  open: (context) => context.openTranscript(),
};
