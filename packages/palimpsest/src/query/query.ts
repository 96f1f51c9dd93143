import { subtractTotals } from "../cache/ledger.ts";
import { aList, checkArgument, checkOptions, ifGiven, withMethods } from "../log/check-options.ts";
import { type Clock, withTimers } from "../session/clock.ts";
import type { Session } from "../session/session.ts";
import type { NewContent } from "../session/to-contents.ts";
import { checkTool, isTool, type Tool } from "../tools/tool.ts";
import { createEventChannel } from "./event-channel.ts";
import type { Inbox } from "./inbox.ts";
import { closeOpenCalls, MAY_HAVE_RUN, NOT_RUN } from "./open-calls.ts";
import type { PermissionOptions } from "./permission.ts";
import type { QueryEvent, QueryOutcome, ToolEnding, TurnEnd } from "./query-event.ts";
import type { RetryOptions } from "./retry-delay.ts";
import { runTurn } from "./run-turn.ts";

/** Options of `query`: the prompt, the tools, who may run them, and limits. All are optional. */
export interface QueryOptions extends Pick<PermissionOptions, "permission" | "askHost"> {
  /** What the user says. @default nothing: the model goes on from what the session holds */
  readonly prompt?: NewContent | readonly NewContent[];
  /** The session's tools from now on. @default those that it has; calls of one that was not made by `tool()` are answered as unknown */
  readonly tools?: readonly Tool[];
  /** Ends the turn at once. What is in the log then can be gone on with. */
  readonly signal?: AbortSignal;
  /** Responses in one turn. @default as many as it takes */
  readonly maxRounds?: number;
  /** How often in a row the model is asked to go on when its answer was cut at the length limit. @default 3 */
  readonly maxContinuations?: number;
  /** How often in one turn a Stop hook can make the model go on. @default 3 */
  readonly maxStopBlocks?: number;
  /** Messages that come while the turn runs. @default none */
  readonly inbox?: Inbox;
  /** What to do about a provider that fails. The client's own retries are off: this is the only place that retries. */
  readonly retries?: RetryOptions;
  /**
   * A response of which nothing comes for so long is given up and asked for again. Models that think without a word need as
   * long as they think. @default 600,000
   */
  readonly stallMs?: number;
  /** For tools that have no `timeoutMs` of their own. @default 600,000 */
  readonly toolTimeoutMs?: number;
  /**
   * Work in the background, once the model is done. Nobody waits for it, and what it throws is its own. @default none
   */
  readonly afterTurn?: (session: Session) => Promise<void>;
  /** @default the system's clock */
  readonly clock?: Clock;
  /** From 0 to 1, for the waits between tries. @default Math.random */
  readonly random?: () => number;
}

/**
 * One turn of a session, through the client of its provider: sends what is new, runs the tools that the model calls, and goes on until it has nothing more to ask for. Yields
 * what happens, returns how it ended. Nothing starts before it is pulled, and who stops pulling (`return`, `break`) aborts it.
 * All that is to outlive it is in the session's log: after a crash, a query without a prompt goes on.
 */
export async function* query(session: Session, options: QueryOptions = {}): AsyncGenerator<QueryEvent, QueryOutcome> {
  checkQuery(session, options);
  const { tools, inbox, afterTurn } = options;
  const abandoned = new AbortController();
  const signals = [session.signal, abandoned.signal, ...(options.signal === undefined ? [] : [options.signal])];
  const signal = AbortSignal.any(signals);
  const channel = createEventChannel<QueryEvent>(() => abandoned.abort());
  const before = session.ledger.totals();
  let rounds = 0;

  function emit(event: QueryEvent): void {
    if (event.kind === "response") rounds++;
    channel.emit(event);
  }

  async function close(text: string, how: ToolEnding): Promise<void> {
    const closed = await closeOpenCalls(session, text);
    for (const call of closed) emit({ kind: "tool-ended", call, status: "error", how });
  }

  async function begin(): Promise<void> {
    await close(MAY_HAVE_RUN, "unknown");
    if (tools !== undefined) await session.configure({ tools });
    const { prompt = [] } = options;
    const content: readonly NewContent[] = isList(prompt) ? prompt : [prompt];
    if (content.length > 0) await session.append(content);
  }

  async function* turn(): AsyncGenerator<QueryEvent, TurnEnd> {
    try {
      yield* channel.during(begin());
      const end = yield* runTurn({
        ...options,
        session,
        inbox,
        signal,
        channel,
        emit,
        tools: new Map(session.view.tools().flatMap((one) => (isTool(one) ? [[one.name, one]] : []))),
        rounds: () => rounds,
        maxRounds: options.maxRounds ?? Number.POSITIVE_INFINITY,
        maxContinuations: options.maxContinuations ?? 3,
        maxStopBlocks: options.maxStopBlocks ?? 3,
        retries: options.retries ?? {},
        stallMs: options.stallMs ?? 600_000,
        toolTimeoutMs: options.toolTimeoutMs ?? 600_000,
        clock: withTimers(options.clock),
        random: options.random ?? Math.random,
      });
      yield* channel.during(close(NOT_RUN, "not-run"));
      return end;
    } catch (error) {
      // Closed while the turn ran: nothing can be written any more, and what is open is answered when it is resumed.
      if (session.signal.aborted) return { kind: "aborted" };
      throw error;
    }
  }

  const stopListening = session.events.listen((event) => emit({ kind: "session-event", event }));
  try {
    const end = yield* turn();
    const outcome: QueryOutcome = { ...end, rounds, usage: subtractTotals(session.ledger.totals(), before) };
    if (end.kind === "done" && afterTurn !== undefined) inBackground(() => afterTurn(session));
    yield { kind: "turn-ended", outcome };
    return outcome;
  } finally {
    stopListening();
    // Who stops pulling between two pieces of work leaves calls open.
    await closeOpenCalls(session, NOT_RUN).catch(() => undefined);
  }
}

function checkQuery(session: unknown, options: unknown): void {
  const needed = withMethods(["append", "prepare", "record"], "a session: await openSession()");
  checkArgument("query(session)", session, needed);
  checkOptions("query", options, {
    tools: ifGiven(aList("a list of tools: tool({ name, description, input, run })")),
  });
  const { tools = [] } = options as { readonly tools?: readonly unknown[] };
  for (const one of tools) checkTool("query(session, { tools }): tool", one);
}

function isList(prompt: NewContent | readonly NewContent[]): prompt is readonly NewContent[] {
  return Array.isArray(prompt);
}

function inBackground(work: () => Promise<void>): void {
  void Promise.resolve()
    .then(work)
    .catch(() => undefined);
}
