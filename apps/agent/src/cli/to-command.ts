import { nearest } from "../text/nearest.ts";
import { UsageError } from "../workspace/usage-error.ts";
import { COMMAND_NAMES, type CommandName } from "./command-list.ts";

/** Finds a command by its name. The error for an unknown name suggests the closest command. */
export function toCommand(word: string): CommandName {
  const name = COMMAND_NAMES.find((known) => known === word);
  if (name !== undefined) return name;
  const meant = nearest(word, COMMAND_NAMES);
  const hint =
    meant === undefined ? `To send a prompt: palimpsest -p ${JSON.stringify(word)}.` : `Did you mean ${meant}?`;
  throw new UsageError(`Unknown command ${JSON.stringify(word)}. ${hint} To list all commands: palimpsest --help.`);
}
