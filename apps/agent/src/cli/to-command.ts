import { nearest } from "../text/nearest.ts";
import { UsageError } from "../workspace/usage-error.ts";
import { COMMAND_NAMES, type CommandName } from "./command-list.ts";

/** A command by its name; another word is no command, and what may have been meant is said. */
export function toCommand(word: string): CommandName {
  const name = COMMAND_NAMES.find((known) => known === word);
  if (name !== undefined) return name;
  const meant = nearest(word, COMMAND_NAMES);
  const hint =
    meant === undefined ? `To ask something: palimpsest -p ${JSON.stringify(word)}` : `Did you mean ${meant}?`;
  throw new UsageError(`There is no command ${JSON.stringify(word)}. ${hint} (palimpsest --help shows all.)`);
}
