import { startCommand } from "../sandbox/start-command.ts";
import type { Environment } from "../workspace/command-environment.ts";

interface ShellRun {
  readonly command: string;
  readonly folder: string;
  readonly environment: Environment;
  /** The path of bash. */
  readonly shell: string;
  readonly signal: AbortSignal;
}

interface ShellResult {
  /** The output; of a long output, the beginning and the end. */
  readonly output: string;
  readonly ended: string;
}

const MAX_CHARACTERS = 30_000;

/** Runs a command that the user typed, with the user's rights and without a sandbox. */
export async function runShell({ command, folder, environment, shell, signal }: ShellRun): Promise<ShellResult> {
  const running = startCommand({ command, folder, environment, shell });
  const onAbort = (): void => running.kill();
  signal.addEventListener("abort", onAbort);
  try {
    let [head, tail] = ["", ""];
    for await (const text of running.output) {
      if (head.length < MAX_CHARACTERS) head += text;
      else tail = (tail + text).slice(-MAX_CHARACTERS / 2);
    }
    const { by, exitCode, signal: killedBy } = await running.ended;
    const output = tail === "" ? head : `${head}\n[...]\n${tail}`;
    return { output, ended: by === "kill" ? "stopped" : killedBy === undefined ? `exit code ${exitCode}` : killedBy };
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
