import { nearest } from "./nearest.ts";
import { UsageError } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

/** Runs a command; resolves to the exit code. */
export interface LoadedCommand {
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

export interface Command {
  readonly name: string;
  readonly usage: string;
  readonly about: string;
  /** Loads what it needs, and nothing before it is called. */
  readonly load: () => Promise<LoadedCommand>;
}

export const COMMANDS: readonly Command[] = [
  {
    name: "run",
    usage: '-p "PROMPT"',
    about: "one turn of the agent: the model works with its tools until it is done",
    load: () => import("../commands/run.ts"),
  },
  {
    name: "help",
    usage: "help",
    about: "this page",
    load: () => import("../commands/help.ts"),
  },
];

/** Which command is meant: the first word, or a turn if there is none. */
export function findCommand(args: readonly string[]): { readonly command: Command; readonly rest: readonly string[] } {
  const [first = "", ...others] = args;
  if (args.includes("--help") || args.includes("-h")) return { command: commandOf("help"), rest: args };
  if (first === "" || first.startsWith("-")) return { command: commandOf("run"), rest: args };
  const command = COMMANDS.find(({ name }) => name === first);
  if (command !== undefined) return { command, rest: others };
  const names = COMMANDS.map(({ name }) => name);
  const meant = nearest(first, names);
  const hint =
    meant === undefined ? `To ask something: palimpsest -p ${JSON.stringify(first)}` : `Did you mean ${meant}?`;
  throw new UsageError(`There is no command ${JSON.stringify(first)}. ${hint} (palimpsest --help shows all.)`);
}

function commandOf(name: string): Command {
  return COMMANDS.find((command) => command.name === name)!;
}
