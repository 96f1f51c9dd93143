import { type PromptResponse, RequestError, type StopReason } from "@agentclientprotocol/sdk";
import { type Clock, createInbox, type Inbox, type NewContent, type QueryEvent, type QueryOutcome } from "palimpsest";
import type { Agent } from "../agent/agent.ts";
import { untilAgentsEnd } from "../agent/start-turn.ts";
import { type EventRelay, keepCacheWarm, reportTurn } from "../commands/stream/report-turn.ts";
import { problemOf } from "../commands/stream/turn-report.ts";
import type { CommandContext } from "../extension/slash-command.ts";
import { type WatchPorts, watchTools } from "../terminal/watch-tools.ts";

interface EditorTurnsOptions extends WatchPorts {
  readonly agent: Agent;
  readonly relay: EventRelay;
  readonly clock: Clock;
  readonly onWait: (text: string) => void;
  readonly afterEvent: (event: QueryEvent) => Promise<void>;
}

/** The user's message: its words, and the content to send. */
interface UserMessage {
  readonly words: string;
  readonly content: readonly NewContent[];
}

/** Runs one turn at a time, and commands. */
interface EditorTurns {
  readonly state: () => "idle" | "busy";
  /** Starts a turn, or joins the running turn and resolves to its response. */
  say(message: UserMessage): Promise<PromptResponse>;
  /** Continues without a new message. */
  continueTurn(): Promise<PromptResponse>;
  readonly during: CommandContext["during"];
  /** Stops all running work. Drops messages that wait for the turn, and cancels their prompts. */
  cancel(): void;
  /** Stops all running work. Resolves when nothing runs. */
  settle(): Promise<void>;
}

interface RunningTurn {
  readonly waiting: ReturnType<typeof createInbox>;
  readonly response: Promise<PromptResponse>;
  /** Called when a message waits. */
  wake(): void;
}

/** Creates the turns of an editor session. */
export function createEditorTurns({
  agent,
  relay,
  clock,
  onWait,
  afterEvent,
  ...watch
}: EditorTurnsOptions): EditorTurns {
  const stops = new Set<AbortController>();
  let turn: RunningTurn | undefined;

  async function stoppable<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const stop = new AbortController();
    stops.add(stop);
    try {
      return await work(stop.signal);
    } finally {
      stops.delete(stop);
    }
  }

  function begin(message?: UserMessage): Promise<PromptResponse> {
    const waiting = createInbox();
    const whenAlone = untilAgentsEnd(agent, onWait);
    let wake = (): void => {};
    const inbox: Inbox = {
      deliver: async (session) => (await waiting.deliver(session)) + (await whenAlone.deliver(session)),
      // A turn that waits for its agents continues when the user sends a message.
      settle: async (signal) => {
        const arrived = new Promise<void>((resolve) => {
          wake = resolve;
        });
        await Promise.race([whenAlone.settle?.(signal), arrived]);
      },
    };
    const response = stoppable(async (signal) => {
      const tools = watchTools(agent.tools, watch);
      const start = { relay, clock, signal, inbox, tools, afterEvent };
      let outcome = await reportTurn(agent, {
        ...start,
        words: message?.words,
        prompt: message?.content,
      });
      while (waiting.waiting.length > 0 && outcome.kind === "done") outcome = await reportTurn(agent, start);
      return toResponse(outcome);
    }).finally(() => {
      turn = undefined;
      keepCacheWarm(agent.session);
    });
    turn = { waiting, response, wake: () => wake() };
    return response;
  }

  async function say(message: UserMessage): Promise<PromptResponse> {
    if (turn === undefined) return begin(message);
    const { waiting, response, wake } = turn;
    waiting.push(...message.content);
    wake();
    const ended = await response;
    // The turn ended before it could read the message.
    const isLate = waiting.waiting.some((content) => message.content.includes(content));
    return isLate && ended.stopReason !== "cancelled" ? say(message) : ended;
  }

  const cancel = (): void => {
    for (const stop of stops) stop.abort();
  };
  return {
    state: () => (stops.size === 0 ? "idle" : "busy"),
    say,
    continueTurn: () => turn?.response ?? begin(),
    during: (_, work) => stoppable((signal) => work(signal, () => {})),
    cancel,
    async settle() {
      cancel();
      await turn?.response.catch(() => undefined);
    },
  };
}

/** Converts the outcome of a turn for the editor. A failure becomes an error, which editors show. */
function toResponse(outcome: QueryOutcome): PromptResponse {
  const stopReason = stopReasonOf(outcome);
  const { kind, rounds, usage } = outcome;
  if (stopReason === undefined) throw new RequestError(errorCode(outcome), problemOf(outcome, "terminal") ?? kind);
  return { stopReason, _meta: { palimpsest: { outcome: kind, rounds, usage } } };
}

function stopReasonOf(outcome: QueryOutcome): StopReason | undefined {
  switch (outcome.kind) {
    case "done":
      return outcome.stop === "length" ? "max_tokens" : "end_turn";
    case "refused":
      return "refusal";
    case "aborted":
    case "left":
      return "cancelled";
    case "rounds-used-up":
      return "max_turn_requests";
    case "waiting":
    case "window-full":
    case "failed":
      return undefined;
  }
}

const AUTH_REQUIRED = -32_000;
const INTERNAL = -32_603;

/** Some error codes make editors ask the user to sign in. */
function errorCode(outcome: QueryOutcome): number {
  const failure = outcome.kind === "failed" ? outcome.error.failure : undefined;
  return failure?.kind === "refused" && failure.status === 401 ? AUTH_REQUIRED : INTERNAL;
}
