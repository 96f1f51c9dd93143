import type { AgentSession } from "../extension/open-agent-session.ts";
import { UsageError } from "../workspace/usage-error.ts";
import { type CommandName, toCommand } from "./definitions.ts";
import type { Terminal } from "./terminal.ts";

/** Runs a command; resolves to the exit code. */
export interface LoadedCommand {
  /** @param parent the session that the command runs for, and that the cost is charged to. @default none */
  run(args: readonly string[], terminal: Terminal, parent?: AgentSession): Promise<number>;
}

/** Loads a command's code only when it is called. */
const LOAD: Readonly<Record<Exclude<CommandName, "run" | "acp">, () => Promise<LoadedCommand>>> = {
  sessions: () => import("./sessions.ts"),
  import: () => import("./import.ts"),
  analyze: () => import("./analyze.ts"),
  inspect: () => import("./inspect.ts"),
  show: () => import("./show.ts"),
  export: () => import("./export.ts"),
  context: () => import("./context.ts"),
  cost: () => import("./cost.ts"),
  notes: () => import("./notes.ts"),
  replay: () => import("./replay.ts"),
  compact: () => import("./compact.ts"),
  undo: () => import("./undo.ts"),
  rewind: () => import("./rewind.ts"),
  migrate: () => import("./migrate.ts"),
  tenant: () => import("./tenant.ts"),
  expire: () => import("./expire.ts"),
  serve: () => import("./serve.ts"),
  proxy: () => import("./proxy.ts"),
  token: () => import("./token.ts"),
  fleet: () => import("./fleet.ts"),
  agents: () => import("./agents.ts"),
  memory: () => import("./memory.ts"),
  dream: () => import("./dream.ts"),
  config: () => import("./config.ts"),
  key: () => import("./key.ts"),
  doctor: () => import("./doctor.ts"),
  permissions: () => import("./permissions.ts"),
  trust: () => import("./trust.ts"),
  demo: () => import("./demo.ts"),
  completion: () => import("./completion.ts"),
  help: () => import("./help.ts"),
};

/** Loads a command by its name. The error for an unknown name suggests the closest command. */
export function loadCommand(word: string): Promise<LoadedCommand> {
  const name = toCommand(word);
  if (name === "run") throw new UsageError('Unknown command "run". To run a turn: palimpsest -p "..."');
  if (name === "acp") throw new UsageError("palimpsest acp is started by an editor, not in a session.");
  return LOAD[name]();
}
