import type { SlashCommand } from "../../extension/slash-command.ts";

export const dreamCommand: SlashCommand = {
  name: "dream",
  takes: "[--dry-run | --yes]",
  about: "goes over what is remembered: one change, which can be undone",
  open: ({ words, runCommand }) => runCommand("Dreaming", "dream", words.split(/\s+/).filter(Boolean)),
};
