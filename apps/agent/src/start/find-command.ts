import { toCommand } from "../cli/to-command.ts";
import { type LoadedCommand, loadCommand } from "../commands/load-command.ts";

/** Finds the command: the first word, or the agent itself if there is none. */
export function findCommand(args: readonly string[]): {
  readonly load: () => Promise<LoadedCommand>;
  readonly rest: readonly string[];
} {
  const [first = "", ...others] = args;
  const helps = args.includes("--help") || args.includes("-h");
  if (first === "" || first.startsWith("-"))
    return helps ? { load: () => loadCommand("help"), rest: [] } : { load: loadRun, rest: args };
  const name = toCommand(first);
  if (helps) return { load: () => loadCommand("help"), rest: [name] };
  if (name === "demo") return { load: loadDemo, rest: others };
  if (name === "acp") return { load: loadAcp, rest: others };
  return { load: name === "run" ? loadRun : () => loadCommand(name), rest: others };
}

function loadAcp(): Promise<LoadedCommand> {
  return import("../acp/run-acp.ts");
}

function loadDemo(): Promise<LoadedCommand> {
  return import("../main/run-demo.ts");
}

function loadRun(): Promise<LoadedCommand> {
  return import("../main/run.ts");
}
