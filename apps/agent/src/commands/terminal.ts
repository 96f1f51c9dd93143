import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "palimpsest";
import { sanitize } from "palimpsest/sanitize";
import { EXIT } from "./exit-codes.ts";

/** The environment of a command: folder, variables, input, output, clock and signals. */
export interface Terminal {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly clock: Clock;
  /** The width of the output. */
  readonly columns: number;
  /** The screen and the keyboard. Absent in a pipe. */
  readonly screen?: { readonly stdin: NodeJS.ReadStream; readonly stdout: NodeJS.WriteStream };
  /** Writes a line of the result to standard output. Resolves when the stream accepts more. */
  print(line: string): Promise<void>;
  /** Writes a line about progress or a problem to standard error. */
  say(line: string, style?: keyof typeof STYLES): void;
  /**
   * Aborts at the first SIGINT or SIGTERM, with the exit code as its reason. The second signal ends the process at
   * once.
   */
  interruption(): AbortSignal;
  /** Pauses the process until the shell continues it. Absent if the system does not support this. */
  readonly pause?: () => Promise<void>;
  /** Aborts when standard output loses its reader. Without a call of this function, the process then ends. */
  unread(): AbortSignal;
}

/** Styles for a screen, unless NO_COLOR is set. */
const STYLES = { faint: "\u001b[2m", warning: "\u001b[33m" } as const;

export function processTerminal(): Terminal {
  const { env: environment, stdin: input, stdout, stderr } = process;
  const colors = stderr.isTTY && !environment["NO_COLOR"] && environment["TERM"] !== "dumb";
  // `palimpsest ... | head` closes the pipe early, which is not an error.
  let onUnread = (): void => process.exit(EXIT.done);
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    onUnread();
  });
  return {
    folder: process.cwd(),
    environment,
    input,
    clock: { now: Date.now },
    columns: stdout.columns || Number(environment["COLUMNS"]) || 100,
    ...(input.isTTY && stdout.isTTY && environment["TERM"] !== "dumb" ? { screen: { stdin: input, stdout } } : {}),
    async print(line) {
      const text = stdout.isTTY ? sanitize(line) : line;
      if (!stdout.write(`${text}\n`)) await once(stdout, "drain");
    },
    say(line, style) {
      const text = stderr.isTTY ? sanitize(line) : line;
      stderr.write(style === undefined || !colors ? `${text}\n` : `${STYLES[style]}${text}\u001b[0m\n`);
    },
    interruption() {
      const controller = new AbortController();
      for (const [signal, code] of [["SIGINT", EXIT.interrupted] as const, ["SIGTERM", EXIT.terminated] as const]) {
        process.on(signal, () => (controller.signal.aborted ? process.exit(code) : controller.abort(code)));
      }
      return controller.signal;
    },
    ...(process.platform === "win32" ? {} : { pause: untilContinued }),
    unread() {
      const controller = new AbortController();
      onUnread = () => controller.abort();
      return controller.signal;
    },
  };
}

/**
 * Without a shell that waits for the process, the system does not stop the process. It then continues after this time.
 */
const STOPPED_WITHIN_MS = 200;

async function untilContinued(): Promise<void> {
  const continued = once(process, "SIGCONT");
  process.kill(process.pid, "SIGTSTP");
  await Promise.race([continued, pause(STOPPED_WITHIN_MS)]);
}
