import { COMMANDS } from "../cli/command-list.ts";
import { EXIT } from "../cli/exit-codes.ts";
import { commandPage, mainPage } from "../cli/help-page.ts";
import { readArguments } from "../cli/read-arguments.ts";
import type { Terminal } from "../cli/terminal.ts";
import { toCommand } from "../cli/to-command.ts";

/** Prints the help page of the program or of a command. */
export async function run(args: readonly string[], { print, columns }: Terminal): Promise<number> {
  const [about] = readArguments(args, COMMANDS.help).positionals;
  await print(about === undefined ? mainPage(columns) : commandPage(toCommand(about), columns));
  return EXIT.done;
}
