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
  /** The user's message. @default none: the model continues from the current session */
  readonly prompt?: NewContent | readonly NewContent[];
  /**
   * The session's tools from now on. @default the tools it has; a call of a tool that was not made by `tool()` is answered as
   * unknown
   */
  readonly tools?: readonly Tool[];
  /** Ends the turn at once. The session can continue from its log. */
  readonly signal?: AbortSignal;
  /** The maximum number of responses in one turn. @default unlimited */
  readonly maxRounds?: number;
  /** How often in a row the model is asked to continue an answer that was cut at the length limit. @default 3 */
  readonly maxContinuations?: number;
  /** How often in one turn a Stop hook can make the model continue. @default 3 */
  readonly maxStopBlocks?: number;
  /** Messages that arrive while the turn runs. @default none */
  readonly inbox?: Inbox;
  /** Retries after a failure of the provider. The client's own retries are off: this is the only place that retries. */
  readonly retries?: RetryOptions;
  /**
   * A response that delivers nothing for this long is given up and requested again. Models that think silently need as long as
   * they think. @default 600,000
   */
  readonly stallMs?: number;
  /** The timeout of tools without a `timeoutMs` of their own. @default 600,000 */
  readonly toolTimeoutMs?: number;
  /**
   * Starts work in the background once the model has finished. Nobody waits for it, and its errors are its own. @default none
   */
  readonly afterTurn?: (session: Session) => Promise<void>;
  /** @default the system's clock */
  readonly clock?: Clock;
  /** Returns a number from 0 to 1, for the waits between tries. @default Math.random */
  readonly random?: () => number;
}

/**
 * Runs one turn of a session through its provider's client: sends the new content, runs the tools that the model calls, and
 * continues until the model has finished. Yields events, returns how the turn ended. Nothing starts before the first pull, and
 * a consumer that stops (`return`, `break`) aborts the turn. All lasting state is in the session's log: after a crash, a query
 * without a prompt continues.
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
      // The session was closed during the turn: nothing can be written any more, and open calls are answered on resume.
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
    // A consumer that stops between two steps leaves calls open.
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
