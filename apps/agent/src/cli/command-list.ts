import type { CommandDefinition } from "./command-definition.ts";
import { PROGRAM_COMMANDS } from "./program-commands.ts";
import { RUN_COMMAND } from "./run-command.ts";
import { SESSION_COMMANDS } from "./session-commands.ts";

/** What the program can do, in the order of the help page. `commands/load-command.ts` knows where it is done. */
export const COMMANDS: typeof RUN_COMMAND & typeof SESSION_COMMANDS & typeof PROGRAM_COMMANDS = {
  ...RUN_COMMAND,
  ...SESSION_COMMANDS,
  ...PROGRAM_COMMANDS,
};

export type CommandName = keyof typeof COMMANDS;
export const COMMAND_NAMES: readonly CommandName[] = Object.keys(COMMANDS) as CommandName[];

/** A command with no more known of it than of any. */
export function definitionOf(name: CommandName): CommandDefinition {
  return COMMANDS[name];
}
