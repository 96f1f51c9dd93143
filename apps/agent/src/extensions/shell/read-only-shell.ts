import { object, text } from "palimpsest/schema";
import { agentTool, failed } from "../../extension/make-tool.ts";
import type { AgentTool } from "../../permissions/agent-tool.ts";
import type { Sandbox } from "../../sandbox/open-sandbox.ts";
import { startCommand } from "../../sandbox/start-command.ts";
import type { Environment } from "../../workspace/command-environment.ts";

interface ReadOnlyShellPorts {
  readonly sandbox: Extract<Sandbox, { readonly kind: "bubblewrap" }>;
  /** The path of bash. */
  readonly shell: string;
  /** The environment of commands, without the user's secrets. */
  readonly environment: Environment;
}

const TIMEOUT_MS = 60_000;
const MAX_CHARACTERS = 30_000;

/** Runs commands such as `git log` with bash, in a sandbox without write access to the project and without network. */
export function readOnlyShellTool({ sandbox, shell, environment }: ReadOnlyShellPorts): AgentTool {
  return agentTool({
    name: "Bash",
    description:
      "Runs a command with bash in the folder of the project, such as `git log` or `wc -l`. The project cannot be changed and no host can be " +
      `reached. A command is ended after ${TIMEOUT_MS / 1_000} seconds or ${MAX_CHARACTERS.toLocaleString("en-US")} characters of output.`,
    inputSchema: object({ command: text("The command.") }),
    concurrency: "safe",
    effect: "run",
    commands: "sandbox",
    timeoutMs: TIMEOUT_MS + 10_000,
    async execute({ command }, { folder, signal }) {
      if (command.includes("\0")) return failed("The command contains a NUL character. Leave it out.");
      const enclosed = await sandbox.enclose({ folder, hosts: [], writes: "own-folder" });
      const { minFreeBytes } = sandbox.policy.limits;
      const options = { command, folder, environment, shell, enclosed, minFreeBytes, timeoutMs: TIMEOUT_MS };
      const running = startCommand(options);
      signal.addEventListener("abort", running.kill, { once: true });
      if (signal.aborted) running.kill();
      let output = "";
      try {
        for await (const piece of running.output) {
          if (output.length < MAX_CHARACTERS) output += piece;
          if (output.length >= MAX_CHARACTERS) running.kill();
        }
        const { by, exitCode } = await running.ended;
        signal.throwIfAborted();
        const shown = [output.slice(0, MAX_CHARACTERS).trimEnd(), endText(by, exitCode)].filter(Boolean).join("\n");
        return { content: shown || "(no output)", status: by === "itself" && exitCode === 0 ? "ok" : "error" };
      } finally {
        signal.removeEventListener("abort", running.kill);
      }
    },
  });
}

function endText(by: "itself" | "timeout" | "kill" | "full-disk", exitCode: number | undefined): string {
  if (by === "itself") return exitCode === 0 ? "" : `[exit code ${exitCode ?? "unknown"}]`;
  if (by === "timeout") return `[ended after ${TIMEOUT_MS / 1_000} s]`;
  return by === "kill" ? "[ended: the output is too long]" : "[ended: the disk was nearly full]";
}
