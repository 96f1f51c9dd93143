import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";

/** A program in a pseudo terminal, by `script` of util-linux. */
export interface PseudoTerminal {
  /** The process of the program. */
  readonly pid: () => Promise<number>;
  press(keys: string): void;
  /** Resolves to the time at which a text was put out, counted from when this was called. */
  sees(text: string, withinMs?: number): Promise<number>;
  close(): Promise<void>;
}

export interface PseudoTerminalOptions {
  readonly line: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** @param line for the shell; what it starts last is the program */
export function openPseudoTerminal({ line, folder, environment }: PseudoTerminalOptions): PseudoTerminal {
  const sized = `stty cols 120 rows 40; echo "PID=$$."; exec ${line}`;
  const child = spawn("script", ["-qfec", sized, "/dev/null"], { cwd: folder, env: { ...environment } });
  let seen = "";
  let first = "";
  let onOutput = (): void => {};
  child.stdout.on("data", (chunk: Buffer) => {
    if (first.length < 1_000) first += chunk.toString("utf8");
    seen = (seen + chunk.toString("utf8")).slice(-200_000);
    onOutput();
  });

  async function sees(text: string, withinMs = 60_000): Promise<number> {
    const startedMs = performance.now();
    while (!seen.includes(text)) {
      const left = withinMs - (performance.now() - startedMs);
      if (left <= 0) throw new Error(`${JSON.stringify(text)} does not come. The end was:\n${seen.slice(-2_000)}`);
      const output = new Promise<void>((resolve) => {
        onOutput = resolve;
      });
      await Promise.race([output, pause(Math.min(left, 1_000))]);
    }
    return performance.now() - startedMs;
  }

  return {
    sees,
    async pid() {
      await sees("PID=");
      return Number(/PID=(\d+)\./.exec(first)![1]);
    },
    press: (keys) => void child.stdin.write(keys),
    async close() {
      // The program itself: `script` ends with it, and nobody writes any more.
      const program = Number(/PID=(\d+)\./.exec(first)?.[1]);
      if (program > 0) process.kill(program, "SIGKILL");
      else child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}
