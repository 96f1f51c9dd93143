import type { SlashCommand } from "../../extension/slash-command.ts";

export const dreamCommand: SlashCommand = {
  name: "dream",
  takes: "[--dry-run | --yes]",
  about: "tidy up the memory, as one change that can be undone",
  open: ({ words, runCommand }) => runCommand("Tidying up the memory", "dream", words.split(/\s+/).filter(Boolean)),
};
