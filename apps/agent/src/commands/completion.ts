import { COMMANDS } from "../cli/command-list.ts";
import { bashCompletion } from "../completion/bash.ts";
import { completedCommands } from "../completion/completed-words.ts";
import { fishCompletion } from "../completion/fish.ts";
import { zshCompletion } from "../completion/zsh.ts";
import { UsageError } from "../workspace/usage-error.ts";
import { EXIT } from "./exit-codes.ts";
import { oneOf, readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

const WRITERS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

/** Prints the completion script of a shell. */
export async function run(args: readonly string[], { print }: Terminal): Promise<number> {
  const { options, operands } = COMMANDS.completion;
  const [wanted] = readArguments(args, { options, operands }).positionals;
  const shell = oneOf("completion", wanted, operands.completes);
  if (shell === undefined)
    throw new UsageError(`The shell is missing: palimpsest completion ${operands.completes.join("|")}.`);
  await print(WRITERS[shell](completedCommands()));
  return EXIT.done;
}
