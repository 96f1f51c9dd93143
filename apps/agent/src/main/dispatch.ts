import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { EXIT } from "../commands/exit-codes.ts";
import { processTerminal, type Terminal } from "../commands/terminal.ts";
import { findCommand } from "../start/find-command.ts";
import { placesOf } from "../workspace/places.ts";
import { makePrivateFolder } from "../workspace/private-files.ts";
import { UsageError } from "../workspace/usage-error.ts";

/** Finds and runs the command; resolves to the exit code. Only the code of this command is loaded. */
export async function dispatch(args: readonly string[]): Promise<number> {
  const terminal = processTerminal();
  try {
    const { load, rest } = findCommand(args);
    await keepCompiledCode(terminal);
    const { run } = await load();
    return await run(rest, terminal);
  } catch (error) {
    terminal.say(`palimpsest: ${error instanceof Error ? error.message : String(error)}`);
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
}

/** Enables Node's compile cache in a private folder: a program that could write there could run code in ours. */
async function keepCompiledCode({ folder, environment }: Terminal): Promise<void> {
  const { agentHome } = placesOf(folder, environment);
  try {
    await makePrivateFolder(join(agentHome, "compiled"));
    enableCompileCache(join(agentHome, "compiled"));
  } catch {
    // The cache only makes the start faster. Commands that need the home folder report if it is unusable.
  }
}
