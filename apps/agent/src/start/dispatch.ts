import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { EXIT } from "../cli/exit-codes.ts";
import { processTerminal, type Terminal } from "../cli/terminal.ts";
import { placesOf } from "../workspace/places.ts";
import { makePrivateFolder } from "../workspace/private-files.ts";
import { UsageError } from "../workspace/usage-error.ts";
import { findCommand } from "./find-command.ts";

/** Runs the command that is meant; resolves to the exit code. Each command loads what it needs, and no more. */
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

/** Node's cache of compiled code, where only this user can write: whoever could change it could run anything. */
async function keepCompiledCode({ folder, environment }: Terminal): Promise<void> {
  const { agentHome } = placesOf(folder, environment);
  try {
    await makePrivateFolder(join(agentHome, "compiled"));
    enableCompileCache(join(agentHome, "compiled"));
  } catch {
    // It only makes starts shorter. A home that cannot be used is told by whoever needs it.
  }
}
