import { spawn } from "node:child_process";
import type { SystemUser } from "./unprivileged-user.ts";

export interface StartedProgram {
  /** `ended`: by itself. */
  state(): "running" | "ended";
  /** Throws with what the program said, if it has ended. */
  assertRunning(): void;
  stop(): Promise<void>;
}

/** The shell ends with the server, and ends the server when our end of the pipe is closed. */
const SCRIPT = `exec 3<&0
"$@" & server=$!
{ cat <&3 >/dev/null; kill -INT $server; } & watcher=$!
wait $server
kill $watcher`;

/** Starts a server that ends with this process, however this process ends. */
export function startWithUs(
  command: readonly string[],
  { cwd, user }: { readonly cwd: string; readonly user: SystemUser | undefined },
): StartedProgram {
  const child = spawn("sh", ["-c", SCRIPT, "sh", ...command], { ...user, cwd, stdio: ["pipe", "ignore", "pipe"] });
  let told = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    told = (told + text).slice(-4_000);
  });
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  const state = (): "running" | "ended" => (child.exitCode === null ? "running" : "ended");
  return {
    state,
    assertRunning() {
      if (state() === "running") return;
      throw new Error(`${command[0]} did not start: ${told}`);
    },
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
