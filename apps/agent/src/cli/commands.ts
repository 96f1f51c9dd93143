import { COMMANDS, type CommandName } from "./command-list.ts";
import { nearest } from "./nearest.ts";
import { UsageError } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

/** Runs a command; resolves to the exit code. */
interface LoadedCommand {
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

/** Each loads what it needs, and nothing before it is called. */
const LOAD: Readonly<Record<CommandName, () => Promise<LoadedCommand>>> = {
  run: () => import("../commands/run.ts"),
  sessions: () => import("../commands/sessions.ts"),
  show: () => import("../commands/show.ts"),
  export: () => import("../commands/export.ts"),
  context: () => import("../commands/context.ts"),
  cost: () => import("../commands/cost.ts"),
  replay: () => import("../commands/replay.ts"),
  compact: () => import("../commands/compact.ts"),
  undo: () => import("../commands/undo.ts"),
  doctor: () => import("../commands/doctor.ts"),
  trust: () => import("../commands/trust.ts"),
  demo: () => import("../commands/demo.ts"),
  help: () => import("../commands/help.ts"),
};

/** Which command is meant: the first word, or a turn if there is none. */
export function findCommand(args: readonly string[]): {
  readonly load: () => Promise<LoadedCommand>;
  readonly rest: readonly string[];
} {
  const [first = "", ...others] = args;
  if (args.includes("--help") || args.includes("-h")) return { load: LOAD.help, rest: args };
  if (first === "" || first.startsWith("-")) return { load: LOAD.run, rest: args };
  const command = COMMANDS.find(({ name }) => name === first);
  if (command !== undefined) return { load: LOAD[command.name], rest: others };
  const meant = nearest(
    first,
    COMMANDS.map(({ name }) => name),
  );
  const hint =
    meant === undefined ? `To ask something: palimpsest -p ${JSON.stringify(first)}` : `Did you mean ${meant}?`;
  throw new UsageError(`There is no command ${JSON.stringify(first)}. ${hint} (palimpsest --help shows all.)`);
}
