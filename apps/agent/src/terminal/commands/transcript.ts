import type { SlashCommand } from "../../extension/slash-command.ts";

export const transcript: SlashCommand = {
  name: "transcript",
  about: "all that was said, with what was folded; search and undo (ctrl-o)",
  when: "always",
  open: (context) => context.openTranscript(),
};
