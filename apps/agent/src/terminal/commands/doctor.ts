import { asTerminal } from "./as-terminal.ts";
import type { ScreenCommand } from "./screen-command.ts";

export const doctor: ScreenCommand = {
  name: "doctor",
  about: "check what the agent needs, and what is missing",
  async open({ terminal, during, say, columns }) {
    const { run } = await import("../../commands/doctor.ts");
    const lines: string[] = [];
    const gathered = { terminal, columns, say: (line: string) => void lines.push(line) };
    await during("Looking", (signal, progress) => run([], asTerminal(gathered, signal, progress)));
    say(lines.join("\n"));
  },
};
