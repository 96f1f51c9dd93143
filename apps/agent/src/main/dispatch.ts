import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { toCommand } from "../commands/definitions.ts";
import { EXIT } from "../commands/exit-codes.ts";
import { type LoadedCommand, loadCommand } from "../commands/load-command.ts";
import { processTerminal, type Terminal } from "../commands/terminal.ts";
import { placesOf } from "../workspace/places.ts";
import { makePrivateFolder } from "../workspace/private-files.ts";
import { UsageError } from "../workspace/usage-error.ts";

/** Finds and runs the command, and resolves to its exit code. Loads only the code of this command. */
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

/**
 * Enables Node's compile cache in a private folder, because a program that can write there could run code in this
 * process.
 */
async function keepCompiledCode({ folder, environment }: Terminal): Promise<void> {
  const { agentHome } = placesOf(folder, environment);
  try {
    await makePrivateFolder(join(agentHome, "compiled"));
    enableCompileCache(join(agentHome, "compiled"));
  } catch {
    // The cache only speeds up the start. Commands that need the home folder report if it is unusable.
  }
}

/** Finds the command: the first word, or the agent itself without a command word. */
export function findCommand(args: readonly string[]): {
  readonly load: () => Promise<LoadedCommand>;
  readonly rest: readonly string[];
} {
  const [first = ""] = args;
  const helps = args.includes("--help") || args.includes("-h");
  if (first === "" || first.startsWith("-"))
    return helps ? { load: () => loadCommand("help"), rest: [] } : { load: loadRun, rest: args };
  const { name, rest } = toCommand(args);
  if (helps) return { load: () => loadCommand("help"), rest: name.split(" ") };
  if (name === "demo") return { load: () => import("./run-demo.ts"), rest };
  if (name === "acp") return { load: () => import("../acp/run-acp.ts"), rest };
  return { load: name === "run" ? loadRun : () => loadCommand(name), rest };
}

function loadRun(): Promise<LoadedCommand> {
  return import("./run.ts");
}
