import type { Provider } from "palimpsest";
import type { Agent } from "../../agent/agent.ts";
import type { Project } from "../../commands/open-project.ts";
import type { Terminal } from "../../commands/terminal.ts";
import type { CommandContext, Progress, SlashCommand } from "../../extension/slash-command.ts";

/** A slash command of the screen. It can do more than a command of an extension. */
export type ScreenCommand = SlashCommand<ScreenContext>;

export interface ScreenContext extends CommandContext {
  readonly agent: Agent;
  readonly project: Project;
  readonly provider: Provider;
  readonly terminal: Terminal;
  readonly commands: readonly ScreenCommand[];
  /** Asks the provider for the ids of its models. */
  listModels(signal: AbortSignal): Promise<readonly string[]>;
  openTranscript(): Promise<void>;
  /** The address of a page over this session. The first call starts an inspector, which ends with the screen. */
  inspect(): Promise<string>;
  /** Opens another session. @param id the session to resume. @default a new session */
  reopen(id?: string): Promise<void>;
  /** Runs a turn without a new message. */
  continueTurn(): void;
  leave(): void;
}

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
