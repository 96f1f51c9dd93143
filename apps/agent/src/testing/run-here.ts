import { PassThrough } from "node:stream";
import type { Clock } from "palimpsest";
import type { TurnResult } from "../commands/stream/turn-report.ts";
import type { Terminal } from "../commands/terminal.ts";
import { findCommand } from "../main/dispatch.ts";
import type { Cli, Ended } from "./run-cli.ts";

/** Runs commands in this process, with a clock that the test moves. */
export interface Here {
  run(args: readonly string[]): Promise<Ended>;
  /** Starts a run that takes one message after the other, until it is closed. */
  talk(args: readonly string[]): Talk;
}

export interface Talk {
  /** Resolves when the turn is over. */
  say(text: string): Promise<TurnResult>;
  /** Resolves when the next turn is over, whatever starts it. */
  next(): Promise<TurnResult>;
  leave(): Promise<Ended>;
}

export interface HereOptions extends Pick<Cli, "folder" | "environment"> {
  readonly clock: Clock;
}

export function createHere({ folder, environment, clock }: HereOptions): Here {
  async function start(args: readonly string[], { input, onLine }: Started): Promise<Ended> {
    const [printed, said]: [string[], string[]] = [[], []];
    const terminal: Terminal = {
      folder,
      environment,
      input,
      clock,
      columns: 100,
      async print(line) {
        printed.push(line);
        onLine?.(line);
      },
      say: (line) => void said.push(line),
      interruption: () => new AbortController().signal,
      unread: () => new AbortController().signal,
    };
    const { load, rest } = findCommand(args);
    const { run } = await load();
    const code = await run(rest, terminal);
    return { code, out: printed.join("\n"), said: said.join("\n") };
  }

  return {
    run: (args) => start(args, { input: new PassThrough().end() }),
    talk(args) {
      const input = new PassThrough();
      let turn = Promise.withResolvers<TurnResult>();
      const ended = start([...args, "--input-format", "stream-json", "--output-format", "json"], {
        input,
        onLine: (line) => turn.resolve(JSON.parse(line)),
      });
      ended.catch((error) => turn.reject(error));
      const next = (): Promise<TurnResult> => {
        turn = Promise.withResolvers();
        return turn.promise;
      };
      return {
        next,
        say(text) {
          const over = next();
          input.write(`${JSON.stringify({ kind: "user", text })}\n`);
          return over;
        },
        leave() {
          input.end();
          return ended;
        },
      };
    },
  };
}

interface Started {
  readonly input: PassThrough;
  readonly onLine?: (line: string) => void;
}
