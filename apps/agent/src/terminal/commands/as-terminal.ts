import type { Terminal } from "../../commands/terminal.ts";
import type { Progress } from "../../extension/slash-command.ts";
import type { ScreenContext } from "./screen-command.ts";

/**
 * Lets a command of the command line run on the screen: its output goes to the scrollback, and its progress to the live part.
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
    unread: () => signal,
    print: async (line) => say(line),
    say: (line, style) => (style === "faint" ? progress(line) : say(line, { color: "warning" })),
  };
}
