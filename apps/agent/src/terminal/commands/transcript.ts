import type { ScreenCommand } from "./screen-command.ts";

export const transcript: ScreenCommand = {
  name: "transcript",
  about: "all that was said, with what was folded; search and undo (ctrl-o)",
  when: "always",
  open: (context) => context.openTranscript(),
};
