// Runs a command as a hook.

import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import type { HookContext } from "./hook.ts";

/** The folder and the variables of a hook's command. */
export interface CommandHookOptions {
  /** The environment variables of the command. @default those of this process */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The working folder of the command. @default that of this process */
  readonly folder?: string;
}

/**
 * Creates a hook that runs a command: a line for the shell, or a program with its arguments, which runs without a shell. The
 * command gets the event's name and input as JSON on its standard input, and nowhere else, so that text of a model or a file
 * cannot become part of the command line. The command answers on its standard output. Exit code 2 blocks the action, with the
 * standard error as the reason.
 *
 * The command runs in its own process group. When the command ends or its deadline passes, the whole group is killed without a
 * request to stop, which a process could ignore. So background processes of the command end with it, unless they start their
 * own group (`setsid`). The hook does not wait for the command's pipes to close, because such a process may keep them open.
 */
export function commandHook(
  command: string | readonly [program: string, ...args: string[]],
  { environment, folder }: CommandHookOptions = {},
): (input: object, context: HookContext) => Promise<string | { readonly block: string }> {
  return (input, { event, signal }) =>
    new Promise((resolve, reject) => {
      const message = JSON.stringify({ event, ...input });
      const [program, ...args] = typeof command === "string" ? [command] : command;
      const child = spawn(program, args, {
        shell: typeof command === "string",
        detached: true,
        windowsHide: true,
        env: environment === undefined ? undefined : { ...environment },
        cwd: folder,
      });
      child.on("error", (error) => reject(new Error(`The hook could not be started: ${error.message}`)));
      // Without a process, the child has no pipes.
      if (child.pid === undefined) return;
      const onFlood = (bytes: number) =>
        fail(`The hook was stopped because it wrote more than ${bytes} bytes of output.`);
      const output = collectOutput(child.stdout, onFlood);
      const errors = collectOutput(child.stderr, onFlood);

      function end(): void {
        signal.removeEventListener("abort", onAbort);
        killGroup(child);
        for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy();
        child.unref();
      }
      function fail(message: string): void {
        end();
        reject(new Error(message));
      }
      const onAbort = () => fail("The hook was stopped.");

      signal.addEventListener("abort", onAbort, { once: true });
      child.on("exit", async (code, killedBy) => {
        killGroup(child);
        await Promise.race([Promise.all([output.ended, errors.ended]), after(LAST_OUTPUT_MS)]);
        end();
        const reason = stripVTControlCharacters(errors.text()).trim();
        if (code === 0) resolve(stripVTControlCharacters(output.text()));
        else if (code === BLOCKS) resolve({ block: reason || "no reason was given" });
        else reject(new Error(`The hook ended with ${killedBy ?? `exit code ${code}`}${reason && `: ${reason}`}`));
      });
      // Writing fails if the command does not read its input.
      child.stdin.on("error", () => undefined);
      child.stdin.end(message);
    });
}

const BLOCKS = 2;

/** How long to wait for output that the command wrote before it ended. */
const LAST_OUTPUT_MS = 100;

interface CollectedOutput {
  /** Resolves when the pipe closes. A pipe may stay open forever. */
  readonly ended: Promise<void>;
  /** Returns the beginning of the output, without an incomplete character at the end. */
  text(): string;
}

/** Reads an output to its end, keeps its beginning, and reports an output that is too large. */
function collectOutput(pipe: Readable, onFlood: (bytes: number) => void): CollectedOutput {
  const kept: Buffer[] = [];
  let bytes = 0;
  pipe.on("data", (chunk: Buffer) => {
    if (bytes < KEPT_BYTES) kept.push(chunk.subarray(0, KEPT_BYTES - bytes));
    bytes += chunk.length;
    if (bytes > FLOOD_BYTES) onFlood(FLOOD_BYTES);
  });
  pipe.on("error", () => undefined);
  return {
    ended: new Promise((resolve) => pipe.once("close", resolve)),
    text: () => new TextDecoder().decode(Buffer.concat(kept), { stream: bytes > KEPT_BYTES }),
  };
}

/** The number of bytes of an output that are kept: more than any hook needs. */
const KEPT_BYTES = 65_536;
/**
 * A hook that writes more than this is stopped. Reading such an output was measured at 1.5 GB a second, which leaves no time for
 * the session.
 */
const FLOOD_BYTES = 1_048_576;

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    // Only POSIX has process groups; elsewhere only the process itself is killed.
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // Nothing is left to kill.
  }
}

/** Waits, then lets the event loop read the pipes once more: in each turn of the loop, timers run before pipes. */
function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(() => setImmediate(resolve), ms));
}
