import type { Provider } from "palimpsest";
import type { Agent } from "../../agent/agent.ts";
import type { Project } from "../../cli/open-project.ts";
import type { Terminal } from "../../cli/terminal.ts";
import type { CommandContext, SlashCommand } from "../../extension/slash-command.ts";

/** A slash command of the screen itself. It can do what a command of an extension can do, and more. */
export type ScreenCommand = SlashCommand<ScreenContext>;

export interface ScreenContext extends CommandContext {
  readonly agent: Agent;
  readonly project: Project;
  readonly provider: Provider;
  readonly terminal: Terminal;
  readonly commands: readonly ScreenCommand[];
  openTranscript(): Promise<void>;
  /** Continues with another session. @param id a new one if there is none */
  reopen(id?: string): Promise<void>;
  /** A turn without anything new. */
  continueTurn(): void;
  leave(): void;
}
