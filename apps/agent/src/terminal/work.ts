import type { Terminal } from "../commands/terminal.ts";
import type { Screen } from "./screen.ts";

/** What runs now: turns, and commands that the user can stop. */
export interface Work {
  /** Runs `work`. The screen is animated until it ends. */
  run<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
  /** Runs a turn. */
  runTurn(turn: (signal: AbortSignal) => Promise<void>): Promise<void>;
  /** Stops the newest of them: a command can run during a turn. */
  stop(): void;
  /** Stops everything. Resolves when no turn is running. */
  settle(): Promise<void>;
}

/** The interval of animations. */
const TICK_MS = 250;

export function createWork({ clock, emit }: Pick<Terminal, "clock"> & Pick<Screen, "emit">): Work {
  const running: AbortController[] = [];
  const turns = new Set<Promise<void>>();

  async function run<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const stop = new AbortController();
    running.push(stop);
    const timer = setInterval(() => emit({ kind: "tick", nowMs: clock.now() }), TICK_MS);
    try {
      return await work(stop.signal);
    } finally {
      clearInterval(timer);
      running.splice(running.indexOf(stop), 1);
    }
  }

  return {
    run,
    async runTurn(turn) {
      const ended = run(turn);
      turns.add(ended);
      try {
        await ended;
      } finally {
        turns.delete(ended);
      }
    },
    stop: () => running.at(-1)?.abort(),
    async settle() {
      for (const one of running) one.abort();
      await Promise.allSettled(turns);
    },
  };
}
