import type { CommandName } from "../cli/command-list.ts";
import type { Terminal } from "../cli/terminal.ts";
import { toCommand } from "../cli/to-command.ts";

/** Runs a command; resolves to the exit code. */
interface LoadedCommand {
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

/** Each loads what it needs, and nothing before it is called. */
const LOAD: Readonly<Record<CommandName, () => Promise<LoadedCommand>>> = {
  run: () => import("./run.ts"),
  sessions: () => import("../commands/sessions.ts"),
  import: () => import("../commands/import.ts"),
  analyse: () => import("../commands/analyse.ts"),
  show: () => import("../commands/show.ts"),
  export: () => import("../commands/export.ts"),
  context: () => import("../commands/context.ts"),
  cost: () => import("../commands/cost.ts"),
  replay: () => import("../commands/replay.ts"),
  compact: () => import("../commands/compact.ts"),
  undo: () => import("../commands/undo.ts"),
  rewind: () => import("../commands/rewind.ts"),
  agents: () => import("../commands/agents.ts"),
  memory: () => import("../commands/memory.ts"),
  dream: () => import("../commands/dream.ts"),
  config: () => import("../commands/config.ts"),
  doctor: () => import("../commands/doctor.ts"),
  trust: () => import("../commands/trust.ts"),
  demo: () => import("../commands/demo.ts"),
  completion: () => import("../commands/completion.ts"),
  help: () => import("../commands/help.ts"),
};

/** Which command is meant: the first word, or a turn if there is none. */
export function findCommand(args: readonly string[]): {
  readonly load: () => Promise<LoadedCommand>;
  readonly rest: readonly string[];
} {
  const [first = "", ...others] = args;
  const helps = args.includes("--help") || args.includes("-h");
  if (first === "" || first.startsWith("-")) return { load: helps ? LOAD.help : LOAD.run, rest: helps ? [] : args };
  const name = toCommand(first);
  return helps ? { load: LOAD.help, rest: [name] } : { load: LOAD[name], rest: others };
}
