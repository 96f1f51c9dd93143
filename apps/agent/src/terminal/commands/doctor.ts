import type { SlashCommand } from "../../extension/slash-command.ts";
import { asTerminal } from "./as-terminal.ts";

export const doctor: SlashCommand = {
  name: "doctor",
  about: "what the agent needs, and what is missing",
  async open({ terminal, during, say, columns }) {
    const { run } = await import("../../commands/doctor.ts");
    const lines: string[] = [];
    const gathered = { terminal, columns, say: (line: string) => void lines.push(line) };
    await during("Looking", (signal, progress) => run([], asTerminal(gathered, signal, progress)));
    say(lines.join("\n"));
  },
};
