import { once } from "node:events";
import type { Clock } from "palimpsest";
import { harmless } from "../text/harmless.ts";
import { EXIT } from "./exit-codes.ts";

/** What a command has of the world around it. */
export interface Terminal {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly clock: Clock;
  /** How wide what is printed may be. */
  readonly columns: number;
  /** What can be drawn on, and where keys come from; absent in a pipe. */
  readonly screen?: { readonly stdin: NodeJS.ReadStream; readonly stdout: NodeJS.WriteStream };
  /** Writes a line to the standard output: what was asked for. Resolves when there is room for more. */
  print(line: string): Promise<void>;
  /** Writes a line to the standard error: what happens meanwhile. */
  say(line: string, style?: keyof typeof STYLES): void;
  /** Aborts at the first SIGINT or SIGTERM, with the exit code as its reason; the second ends the process at once. */
  interruption(): AbortSignal;
}

/** Only where it goes to a screen, and NO_COLOR is not set. */
const STYLES = { faint: "\u001b[2m", warning: "\u001b[33m" } as const;

export function processTerminal(): Terminal {
  const { env: environment, stdin: input, stdout, stderr } = process;
  const colors = stderr.isTTY && !environment["NO_COLOR"] && environment["TERM"] !== "dumb";
  // `palimpsest ... | head`: whoever reads no more wants no more.
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(EXIT.done);
    throw error;
  });
  return {
    folder: process.cwd(),
    environment,
    input,
    clock: { now: Date.now },
    columns: stdout.columns || Number(environment["COLUMNS"]) || 100,
    ...(input.isTTY && stdout.isTTY && environment["TERM"] !== "dumb" ? { screen: { stdin: input, stdout } } : {}),
    async print(line) {
      const text = stdout.isTTY ? harmless(line) : line;
      if (!stdout.write(`${text}\n`)) await once(stdout, "drain");
    },
    say(line, style) {
      const text = stderr.isTTY ? harmless(line) : line;
      stderr.write(style === undefined || !colors ? `${text}\n` : `${STYLES[style]}${text}\u001b[0m\n`);
    },
    interruption() {
      const controller = new AbortController();
      for (const [signal, code] of [["SIGINT", EXIT.interrupted] as const, ["SIGTERM", EXIT.terminated] as const]) {
        process.on(signal, () => (controller.signal.aborted ? process.exit(code) : controller.abort(code)));
      }
      return controller.signal;
    },
  };
}
