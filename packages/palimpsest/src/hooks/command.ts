import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import type { HookContext } from "./hook.ts";

/** The folder and the variables of a hook's command. */
export interface CommandHookOptions {
  /** @default the process's own */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** @default the process's own */
  readonly folder?: string;
}

/**
 * A hook that is a command: a line for the shell, or a program with its arguments, which no shell sees. It gets the event's
 * input with the event's name as JSON on its standard input, and nowhere else: what a model or a file has said must not
 * become a part of the line. It answers on its standard output; exit code 2 blocks, with its standard error as the reason.
 *
 * It runs in a process group of its own. When it has ended or its time is up, all of the group is killed, not asked: what is
 * asked can refuse. So what it leaves in the background ends with it, unless it is started in a group of its own (`setsid`).
 * Its pipes are not waited for: such a process may hold them for as long as it likes.
 */
export function commandHook(
  command: string | readonly [program: string, ...args: string[]],
  { environment, folder }: CommandHookOptions = {},
): (input: object, context: HookContext) => Promise<string | { readonly block: string }> {
  return (input, { event, signal }) =>
    new Promise((resolve, reject) => {
      const told = JSON.stringify({ event, ...input });
      const [program, ...args] = typeof command === "string" ? [command] : command;
      const child = spawn(program, args, {
        shell: typeof command === "string",
        detached: true,
        windowsHide: true,
        ...(environment === undefined ? {} : { env: { ...environment } }),
        ...(folder === undefined ? {} : { cwd: folder }),
      });
      child.on("error", (error) => reject(new Error(`The hook could not be started: ${error.message}`)));
      // Without a process it has no pipes either.
      if (child.pid === undefined) return;
      const onFlood = (bytes: number) => fail(`It was ended, as it put out more than ${bytes} bytes.`);
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
        const said = stripVTControlCharacters(errors.text()).trim();
        if (code === 0) resolve(stripVTControlCharacters(output.text()));
        else if (code === BLOCKS) resolve({ block: said || "no reason was given" });
        else reject(new Error(`The hook ended with ${killedBy ?? `exit code ${code}`}${said && `: ${said}`}`));
      });
      // A command need not read its input.
      child.stdin.on("error", () => undefined);
      child.stdin.end(told);
    });
}

const BLOCKS = 2;

/** The time for output that was written before the command ended and was not read yet. */
const LAST_OUTPUT_MS = 100;

interface CollectedOutput {
  /** Resolves at the end of the pipe, which may never come. */
  readonly ended: Promise<void>;
  /** The beginning of the output, without a character that was cut in two. */
  text(): string;
}

/** Reads an output to its end, keeps its beginning, and reports a flood. */
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

/** The part of an output that is kept: more than any hook needs. */
const KEPT_BYTES = 65_536;
/**
 * An output beyond this is a flood. Reading one was measured at 1.5 GB a second, which leaves the session no time of its own.
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

/** Timers come before pipes in a turn of the event loop, so what is in the pipes when the time is up is read after it. */
function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(() => setImmediate(resolve), ms));
}
