import type { Terminal } from "../../cli/terminal.ts";
import type { CommandContext } from "./command.ts";

/** The screen as a command of the command line sees a terminal: what it prints goes to the scrollback. */
export function asTerminal({ terminal, say }: Pick<CommandContext, "terminal" | "say">, signal: AbortSignal): Terminal {
  const { folder, environment, input, clock } = terminal;
  return {
    ...{ folder, environment, input, clock, interruption: () => signal },
    print: async (line) => say(line),
    say: (line, style) => say(line, style === undefined ? {} : { colour: style === "warning" ? "warning" : "quiet" }),
  };
}
