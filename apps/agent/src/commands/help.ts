import { COMMANDS } from "../cli/command-list.ts";
import { commandPage, mainPage } from "../cli/help-page.ts";
import { toCommand } from "../cli/to-command.ts";
import { EXIT } from "./exit-codes.ts";
import { readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

/** Prints the help page of the program or of a command. */
export async function run(args: readonly string[], { print, columns }: Terminal): Promise<number> {
  const [about] = readArguments(args, COMMANDS.help).positionals;
  await print(about === undefined ? mainPage(columns) : commandPage(toCommand(about), columns));
  return EXIT.done;
}
