import { spawn } from "node:child_process";

export type GitAnswer =
  | { readonly kind: "answered"; readonly output: Buffer }
  | { readonly kind: "failed"; readonly why: string }
  /** The program is missing. */
  | { readonly kind: "missing"; readonly why: string };

/** Runs git on one repository. */
export type Git = (args: readonly string[], input?: string) => Promise<GitAnswer>;

/**
 * No settings of the user, the system or the environment; no hooks, no programs that a repository could name (for diffs,
 * signatures, remotes), no garbage collection, no prompt.
 */
const OVERRIDES = ["core.hooksPath=/dev/null", "gc.auto=0", "maintenance.auto=false", "core.fsmonitor=false"];
const ENVIRONMENT = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  // A list of protocols that may be spoken: none has this name.
  GIT_ALLOW_PROTOCOL: "none",
  LC_ALL: "C",
};

export function createGit(gitFolder: string, program: string): Git {
  const settings = OVERRIDES.flatMap((override) => ["-c", override]);
  const environment = { ...ENVIRONMENT, PATH: process.env["PATH"], GIT_DIR: gitFolder };
  return (args, input = "") =>
    new Promise((resolve) => {
      const child = spawn(program, [...settings, "--no-pager", ...args], { env: environment, windowsHide: true });
      const output: Buffer[] = [];
      let errors = "";
      child.on("error", (error) => resolve({ kind: "missing", why: `git could not be started: ${error.message}` }));
      // Without a process it has no pipes either.
      if (child.pid === undefined) return;
      child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
      child.stderr.on("data", (chunk: Buffer) => {
        errors = (errors + chunk).slice(0, 2_000);
      });
      child.on("close", (code, signal) => {
        if (code === 0) resolve({ kind: "answered", output: Buffer.concat(output) });
        else resolve({ kind: "failed", why: `git ${args[0]} ended with ${signal ?? code}: ${errors.trim()}` });
      });
      // Git need not read its input.
      child.stdin.on("error", () => undefined);
      child.stdin.end(input);
    });
}
