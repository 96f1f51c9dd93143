import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A client of a tmux server that takes many commands: a program for each look at the screen takes ten times as long. */
export interface TmuxControl {
  /** Resolves with what the command prints. Words must not contain line breaks. */
  run(...words: readonly string[]): Promise<string>;
}

interface Waiting {
  readonly resolve: (text: string) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Attaches to a session in control mode (tmux(1), "CONTROL MODE"): each answer stands between `%begin` and `%end` or `%error`, in the
 * order of the commands. The client has no size of its own and gets no output of the program. The server ends with its last client,
 * and so with this process, however this process ends.
 * @param attach the words that attach it, from `tmux` on
 */
export function controlTmux(
  [command = "tmux", ...words]: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): TmuxControl {
  const child = spawn(command, words, { ...options, stdio: ["pipe", "pipe", "ignore"] });
  const waiting: Waiting[] = [];
  let lines: string[] | undefined;
  createInterface({ input: child.stdout }).on("line", (line) => {
    // The last field says whether the command came from this client: attaching itself is answered, too.
    const [, guard, own] = /^%(begin|end|error) \d+ \d+ ([01])$/.exec(line) ?? [];
    if (guard === undefined || own === "0") lines?.push(line);
    else if (guard === "begin") lines = [];
    else {
      const [{ resolve, reject }] = waiting.splice(0, 1) as [Waiting];
      const text = `${(lines ?? []).join("\n")}\n`;
      lines = undefined;
      if (guard === "end") resolve(text);
      else reject(new Error(`tmux: ${text}`));
    }
  });
  child.on("close", () => {
    for (const { reject } of waiting.splice(0)) reject(new Error("The server of tmux has ended."));
  });
  child.stdin.on("error", () => undefined);
  const run: TmuxControl["run"] = (...given) =>
    new Promise((resolve, reject) => {
      if (child.exitCode !== null) return reject(new Error("The server of tmux has ended."));
      waiting.push({ resolve, reject });
      child.stdin.write(`${given.map(quoted).join(" ")}\n`);
    });
  // A client that could not attach says so at the first command of the caller.
  run("set-option", "-s", "exit-unattached", "on").catch(() => undefined);
  return { run };
}

/** Single quotes mean to tmux what they mean to a shell. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
