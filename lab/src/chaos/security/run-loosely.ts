import { execFile } from "node:child_process";

export interface LooseCommand {
  readonly line: string;
  /** The folder in which the command starts. */
  readonly folder: string;
  /** Writable. The rest of this machine is not: an attack that succeeds must harm canaries only. */
  readonly base: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Runs a command without the guards of the agent's sandbox: it sees all files and processes, the network, the whole environment.
 * It holds no capabilities and writes below `base` only, because many attacks would destroy the machine that runs them.
 */
export function runLoosely({ line, folder, base, environment }: LooseCommand): Promise<string> {
  const enclosure = ["--die-with-parent", "--cap-drop", "ALL", "--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev"];
  // Git and others put files there that end with them.
  const writable = ["--tmpfs", "/tmp", "--bind", base, base, "--chdir", folder, "--"];
  return new Promise((resolve) => {
    execFile(
      "/usr/bin/bwrap",
      [...enclosure, ...writable, "bash", "-c", line],
      { env: { ...environment }, timeout: 15_000, encoding: "buffer", maxBuffer: 64 * 1024 * 1024 },
      (_, stdout, stderr) => resolve(Buffer.concat([stdout, stderr]).toString("utf8")),
    );
  });
}
