import type { CommandName } from "../cli/command-list.ts";
import type { Terminal } from "../cli/terminal.ts";
import { toCommand } from "../cli/to-command.ts";
import type { AgentSession } from "../extension/open-agent-session.ts";
import { UsageError } from "../workspace/usage-error.ts";

/** Runs a command; resolves to the exit code. */
export interface LoadedCommand {
  /** @param parent the session that the command is run for, and that pays for it. @default none */
  run(args: readonly string[], terminal: Terminal, parent?: AgentSession): Promise<number>;
}

/** Each loads what it needs, and nothing before it is called. */
const LOAD: Readonly<Record<Exclude<CommandName, "run">, () => Promise<LoadedCommand>>> = {
  sessions: () => import("./sessions.ts"),
  import: () => import("./import.ts"),
  analyze: () => import("./analyze.ts"),
  show: () => import("./show.ts"),
  export: () => import("./export.ts"),
  context: () => import("./context.ts"),
  cost: () => import("./cost.ts"),
  replay: () => import("./replay.ts"),
  compact: () => import("./compact.ts"),
  undo: () => import("./undo.ts"),
  rewind: () => import("./rewind.ts"),
  agents: () => import("./agents.ts"),
  memory: () => import("./memory.ts"),
  dream: () => import("./dream.ts"),
  config: () => import("./config.ts"),
  doctor: () => import("./doctor.ts"),
  trust: () => import("./trust.ts"),
  demo: () => import("./demo.ts"),
  completion: () => import("./completion.ts"),
  help: () => import("./help.ts"),
};

/** Loads a command by its name; an unknown name is told what it may have been. */
export function loadCommand(word: string): Promise<LoadedCommand> {
  const name = toCommand(word);
  if (name === "run") throw new UsageError('"run" cannot be run from here.');
  return LOAD[name]();
}
