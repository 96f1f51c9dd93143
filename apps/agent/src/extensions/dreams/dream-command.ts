import type { SlashCommand } from "../../extension/slash-command.ts";
import { asTerminal } from "../../terminal/commands/as-terminal.ts";

export const dream: SlashCommand = {
  name: "dream",
  takes: "[--dry-run | --yes]",
  about: "goes over what is remembered: one change, which can be undone",
  async open(context) {
    const { run } = await import("../../commands/dream.ts");
    const args = context.words.split(/\s+/).filter(Boolean);
    await context.during("Dreaming", (signal, progress) =>
      run(args, asTerminal(context, signal, progress), context.agent.session),
    );
  },
};
