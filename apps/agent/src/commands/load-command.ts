import type { AgentSession } from "../extension/open-agent-session.ts";
import { UsageError } from "../workspace/usage-error.ts";
import { type CommandName, toCommand } from "./definitions.ts";
import type { Terminal } from "./terminal.ts";

/** A command whose code is loaded. */
export interface LoadedCommand {
  /**
   * Runs the command, and resolves to its exit code.
   * @param parent the session that the command runs for, and that the cost is charged to. @default none
   */
  run(args: readonly string[], terminal: Terminal, parent?: AgentSession): Promise<number>;
}

/** Loads a command by its name. */
export function loadCommand(name: CommandName): Promise<LoadedCommand> {
  if (name === "run") throw new UsageError('Unknown command "run". To run a turn: palimpsest -p "..."');
  if (name === "acp") throw new UsageError("palimpsest acp is started by an editor, not in a session.");
  return LOAD[name]();
}

/** Loads the command that the first words name. The error for an unknown name suggests the closest command. */
export async function loadWords(
  words: readonly string[],
): Promise<{ readonly run: LoadedCommand["run"]; readonly rest: readonly string[] }> {
  const { name, rest } = toCommand(words);
  return { run: (await loadCommand(name)).run, rest };
}

/** Loads a command's code only when the command runs. */
const LOAD: Readonly<Record<Exclude<CommandName, "run" | "acp">, () => Promise<LoadedCommand>>> = {
  sessions: () => import("./sessions.ts"),
  "sessions delete": () => import("./delete.ts"),
  database: () => import("./database.ts"),
  "sessions import": () => import("./import.ts"),
  analyze: () => import("./analyze.ts"),
  inspect: () => import("./inspect.ts"),
  "sessions show": () => import("./show.ts"),
  "sessions export": () => import("./export.ts"),
  "sessions context": () => import("./context.ts"),
  "sessions cost": () => import("./cost.ts"),
  "sessions notes": () => import("./notes.ts"),
  replay: () => import("./replay.ts"),
  "sessions compact": () => import("./compact.ts"),
  "sessions undo": () => import("./undo.ts"),
  "sessions rewind": () => import("./rewind.ts"),
  "database migrate": () => import("./migrate.ts"),
  "database tenants": () => import("./tenants.ts"),
  "database expire": () => import("./expire.ts"),
  serve: () => import("./serve.ts"),
  proxy: () => import("./proxy.ts"),
  "database tokens": () => import("./tokens.ts"),
  "database fleet": () => import("./fleet.ts"),
  agents: () => import("./agents.ts"),
  memory: () => import("./memory.ts"),
  "memory dream": () => import("./dream.ts"),
  config: () => import("./config.ts"),
  key: () => import("./key.ts"),
  doctor: () => import("./doctor.ts"),
  permissions: () => import("./permissions.ts"),
  trust: () => import("./trust.ts"),
  demo: () => import("./demo.ts"),
  completion: () => import("./completion.ts"),
  help: () => import("./help.ts"),
};
