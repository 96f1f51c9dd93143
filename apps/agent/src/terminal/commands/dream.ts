import { asTerminal } from "./as-terminal.ts";
import type { SlashCommand } from "./command.ts";

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
