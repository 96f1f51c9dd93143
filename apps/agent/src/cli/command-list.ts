import { RUN_COMMAND } from "../commands/definitions.ts";
import { PROGRAM_COMMANDS } from "../commands/program-definitions.ts";
import { SERVER_COMMANDS } from "../commands/server-definitions.ts";
import { SESSION_COMMANDS } from "../commands/session-definitions.ts";
import { ACP_COMMAND } from "./acp-command.ts";
import type { CommandDefinition } from "./command-definition.ts";
import { DATABASE_COMMANDS } from "./database-commands.ts";

/** All commands, in the order of the help page. `commands/load-command.ts` loads their code. */
export const COMMANDS: typeof RUN_COMMAND &
  typeof ACP_COMMAND &
  typeof SESSION_COMMANDS &
  typeof DATABASE_COMMANDS &
  typeof SERVER_COMMANDS &
  typeof PROGRAM_COMMANDS = {
  ...RUN_COMMAND,
  ...ACP_COMMAND,
  ...SESSION_COMMANDS,
  ...DATABASE_COMMANDS,
  ...SERVER_COMMANDS,
  ...PROGRAM_COMMANDS,
};

export type CommandName = keyof typeof COMMANDS;
export const COMMAND_NAMES: readonly CommandName[] = Object.keys(COMMANDS) as CommandName[];

/** The definition of a command, with the type that all definitions share. */
export function definitionOf(name: CommandName): CommandDefinition {
  return COMMANDS[name];
}
