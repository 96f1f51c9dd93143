import { UsageError } from "../workspace/usage-error.ts";
import { COMMANDS, commandsOf } from "./definitions.ts";
import { readArguments } from "./read-arguments.ts";

/** Reports the missing command and the names of the group's commands. */
export async function run(args: readonly string[]): Promise<never> {
  readArguments(args, COMMANDS.database);
  const names = commandsOf("database").map((name) => `palimpsest ${name}`);
  throw new UsageError(`The command is missing: ${names.join(", ")}. For details: palimpsest database --help.`);
}
