import { spawn } from "node:child_process";
import type { Socket } from "node:net";

/**
 * Runs a shell script when this process has ended, however it ends: by itself, by a signal of the terminal, or by a kill. A shell
 * in a session of its own waits for the other end of its pipe to be closed. Returns a function that calls the script off.
 * @param words the arguments of the script: `$1` and so on
 */
export function whenWeEnd(script: string, ...words: readonly string[]): () => void {
  const waiting = `read -r calledOff || { ${script}; }`;
  const shell = spawn("sh", ["-c", waiting, "sh", ...words], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  // Neither the shell nor the pipe keeps this process from ending.
  shell.unref();
  (shell.stdin as Socket).unref();
  return () => void shell.stdin.end("called off\n");
}

/** Removes a folder when this process has ended. Programs that still write to the folder need a moment to end. */
export function removeWhenWeEnd(folder: string): void {
  whenWeEnd('for second in 1 2 3 4 5 6 7 8 9 10; do rm -rf -- "$1" && break; sleep 1; done', folder);
}

/** Ends a process group when this process has ended. Returns a function to call when the group has ended by itself. */
export function killWhenWeEnd(group: number): () => void {
  return whenWeEnd('kill -s TERM -- "-$1" && sleep 10 && kill -s KILL -- "-$1"', String(group));
}
