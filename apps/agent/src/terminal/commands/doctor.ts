import { asTerminal } from "./as-terminal.ts";
import type { SlashCommand } from "./command.ts";

export const doctor: SlashCommand = {
  name: "doctor",
  about: "what the agent needs, and what is missing",
  async open(context) {
    const { run } = await import("../../commands/doctor.ts");
    const lines: string[] = [];
    const terminal = asTerminal(
      { terminal: context.terminal, say: (line) => void lines.push(line) },
      new AbortController().signal,
    );
    await context.during("Looking", () => run([], terminal));
    context.say(lines.join("\n"));
  },
};
