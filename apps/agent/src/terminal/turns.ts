import type { NewContent } from "palimpsest";
import type { Agent } from "../agent/agent.ts";
import { startTurn } from "../agent/start-turn.ts";
import { keepCacheWarm } from "../commands/stream/report-turn.ts";
import type { Terminal } from "../commands/terminal.ts";
import type { CommandContext } from "../extension/slash-command.ts";
import { cleanText } from "../text/visible-text.ts";
import type { CurrentFile } from "./read-current-file.ts";
import type { Screen } from "./screen.ts";
import { createWaitingInputs, type WaitingInputs } from "./waiting-inputs.ts";
import { watchTools } from "./watch-tools.ts";

interface TurnsOptions {
  /** The agent of the open session. */
  readonly agent: () => Agent;
  readonly clock: Terminal["clock"];
  readonly emit: Screen["emit"];
  /** Reads a file of the project as it is now, to show what has changed in it. */
  readonly readFile: (path: string) => Promise<CurrentFile>;
  readonly refresh: () => Promise<void>;
  readonly showError: (error: unknown) => void;
  /** Called after a turn and all messages that waited for it. */
  readonly onIdle: () => void;
}

/** A user message: its text, and the content that is sent. */
export interface Saying {
  readonly text: string;
  readonly content: readonly NewContent[];
}

/** Runs one turn at a time, and the user's commands. */
export interface Turns {
  readonly state: "idle" | "busy";
  /** Starts a turn. @param said the user's message. @default none: the model continues from the current state */
  start(said?: Saying): void;
  /** What waits: messages for the next request of the running turn, commands for its end. */
  readonly waiting: Pick<WaitingInputs, "add" | "withdraw" | "withdrawAll" | "move">;
  /** Runs a command of the user's; what waits comes after it. */
  command(run: () => Promise<void>): Promise<void>;
  readonly during: CommandContext["during"];
  /** Stops the newest running turn or command. */
  stop(): void;
  /** Stops everything; resolves when no turn is running. */
  settle(): Promise<void>;
}

/** The interval of animations. */
const TICK_MS = 250;

export function createTurns({ agent, clock, emit, readFile, refresh, showError, onIdle }: TurnsOptions): Turns {
  const waiting = createWaitingInputs({
    onChange: (queued) => emit({ kind: "queue", queued }),
    onTaken: (said) => emit({ kind: "taken", said }),
  });
  let commands = 0;
  /** A command can run during a turn. Escape stops the newest one. */
  const running: AbortController[] = [];
  let turn: Promise<void> | undefined;

  async function ticking<Result>(work: (stop: AbortController) => Promise<Result>): Promise<Result> {
    const stop = new AbortController();
    running.push(stop);
    const timer = setInterval(() => emit({ kind: "tick", nowMs: clock.now() }), TICK_MS);
    try {
      return await work(stop);
    } finally {
      clearInterval(timer);
      running.splice(running.indexOf(stop), 1);
    }
  }

  async function runTurn(said: Saying | undefined, { signal }: AbortController): Promise<void> {
    const now = agent();
    const tools = watchTools(now.tools, {
      readFile,
      onResult: (callId, { text, lines, diff }) =>
        emit({ kind: "tool-result", callId, text, lines, ...(diff === undefined ? {} : { diff }) }),
    });
    const events = await startTurn(now, {
      tools,
      clock,
      signal,
      inbox: { deliver: async (to) => (await waiting.deliver(to)) + (await now.agents.inbox.deliver(to)) },
      words: said?.text,
      ...(said === undefined ? {} : { prompt: said.content }),
    });
    for await (const event of events) {
      emit({ kind: "query", event });
      if (event.kind === "response" || event.kind === "tool-ended") await refresh();
    }
  }

  /** Runs a turn, and further turns while messages wait. */
  async function runTurns(first?: Saying): Promise<void> {
    let said = first;
    do {
      emit({ kind: "turn-started", said: said === undefined ? [] : [said.text] });
      await ticking((stop) => runTurn(said, stop)).catch(showError);
      emit({ kind: "turn-over" });
      await refresh().catch(showError);
      said = undefined;
    } while (waiting.next() === "message");
  }

  function start(said?: Saying): void {
    turn = runTurns(said).finally(() => {
      turn = undefined;
      keepCacheWarm(agent().session);
      if (waiting.next() === "nothing") onIdle();
      else goOn();
    });
  }

  /** The agent is free: what waits has its turn. */
  function goOn(): void {
    if (turn !== undefined || running.length > 0 || commands > 0) return;
    const next = waiting.next();
    if (next === "message") start();
    else if (next === "command") void command(waiting.takeCommand()).catch(showError);
  }

  async function command(run: () => Promise<void>): Promise<void> {
    commands++;
    try {
      await run();
    } finally {
      commands--;
      goOn();
    }
  }

  return {
    get state() {
      return turn === undefined && running.length === 0 ? "idle" : "busy";
    },
    start,
    waiting,
    command,
    async during(what, work) {
      emit({ kind: "busy", with: what });
      try {
        return await ticking(({ signal }) =>
          work(signal, (text) => emit({ kind: "busy", with: cleanText(text).replaceAll("\n", " ") })),
        );
      } finally {
        emit({ kind: "free" });
        await refresh();
        goOn();
      }
    },
    stop: () => running.at(-1)?.abort(),
    async settle() {
      for (const one of running) one.abort();
      await turn;
    },
  };
}
