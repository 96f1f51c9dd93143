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
    name: "sessions",
    usage: "sessions [--json]",
    about: "the sessions of this folder, the newest first",
    load: () => import("../commands/sessions.ts"),
  },
  {
    name: "show",
    usage: "show [ID] [--entry N]",
    about: "a session as it was said, whatever was folded or cleared since; or one entry in whole",
    load: () => import("../commands/show.ts"),
  },
  {
    name: "export",
    usage: "export [ID]",
    about: "a session's whole log as lines of JSON",
    load: () => import("../commands/export.ts"),
  },
  {
    name: "context",
    usage: "context [ID] [--json]",
    about: "what fills the window",
    load: () => import("../commands/context.ts"),
  },
  {
    name: "cost",
    usage: "cost [ID] [--json]",
    about: "what was spent, on what, and what was lost to which cause",
    load: () => import("../commands/cost.ts"),
  },
  {
    name: "compact",
    usage: "compact [TEXT] [--session ID]",
    about: "folds the conversation into a summary that heeds TEXT",
    load: () => import("../commands/compact.ts"),
  },
  {
    name: "undo",
    usage: "undo [ID]",
    about: "takes the newest compaction back",
    load: () => import("../commands/undo.ts"),
  },
  {
    name: "doctor",
    usage: "doctor [--json]",
    about: "what the agent needs, and what is missing; nothing is sent anywhere",
    load: () => import("../commands/doctor.ts"),
  },
  {
    name: "trust",
    usage: "trust [--yes]",
    about: "shows what this project's settings want, and lets them hold",
    load: () => import("../commands/trust.ts"),
  },
  {
    name: "demo",
    usage: "demo",
    about: "a long session in a minute, against a built-in simulator: no key, no cost",
    load: () => import("../commands/demo.ts"),
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
