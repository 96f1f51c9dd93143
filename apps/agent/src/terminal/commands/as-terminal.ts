import type { Terminal } from "../../cli/terminal.ts";
import type { Progress } from "../../extension/slash-command.ts";
import type { ScreenContext } from "./screen-command.ts";

/**
 * The screen as a command of the command line sees a terminal: what it prints goes to the scrollback, and what it says
 * meanwhile is shown while it goes on.
 */
export function asTerminal(
  { terminal, say, columns }: Pick<ScreenContext, "terminal" | "say" | "columns">,
  signal: AbortSignal,
  progress: Progress,
): Terminal {
  const { folder, environment, input, clock } = terminal;
  return {
    folder,
    environment,
    input,
    clock,
    columns,
    interruption: () => signal,
    print: async (line) => say(line),
    say: (line, style) => (style === "faint" ? progress(line) : say(line, { color: "warning" })),
  };
}
