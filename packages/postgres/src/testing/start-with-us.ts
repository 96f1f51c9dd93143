import { spawn } from "node:child_process";
import type { SystemUser } from "./unprivileged-user.ts";

export interface StartedProgram {
  /** Throws with what the program said, if it has ended. */
  assertRunning(): void;
  stop(): Promise<void>;
}

/** Starts a server that ends with this process, however this process ends: a shell waits for the pipe to be closed. */
export function startWithUs(
  command: readonly string[],
  { cwd, user }: { readonly cwd: string; readonly user: SystemUser | undefined },
): StartedProgram {
  const script = '"$@" & server=$!; cat >/dev/null; kill -INT $server; wait $server';
  const child = spawn("sh", ["-c", script, "sh", ...command], { ...user, cwd, stdio: ["pipe", "ignore", "pipe"] });
  let told = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    told = (told + text).slice(-4_000);
  });
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  return {
    assertRunning() {
      if (child.exitCode === null && !/FATAL|not found/.test(told)) return;
      throw new Error(`${command[0]} did not start: ${told}`);
    },
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
