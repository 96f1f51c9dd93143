// Runs one turn of a session: `query` runs the whole turn, and `stepTurn` one step.

import { type Clock, withTimers } from "../clock.ts";
import { subtractTotals } from "../cost/ledger.ts";
import { SessionLostError } from "../errors.ts";
import type { NewContent } from "../log/messages.ts";
import { aList, checkArgument, checkOptions, ifGiven, withMethods } from "../schema/check-options.ts";
import { checkTool, isTool, type Tool } from "../schema/tool.ts";
import { guardWrites } from "../session/open.ts";
import type { Session } from "../session/session.ts";
import type { PermissionOptions, QueryEvent, QueryOutcome, TurnEnd } from "./permission.ts";
import type { RetryOptions } from "./send.ts";
import { type Inbox, type StepContext, type TurnStep, takeStep } from "./step.ts";
import { isUnloaded, toolsForSearch } from "./tools.ts";

/** Passes events from asynchronous work to the generator that waits for the work. */
interface EventChannel<Event> {
  emit(event: Event): void;
  /** Yields emitted events until the work ends, and returns its result. */
  during<Result>(work: Promise<Result>): AsyncGenerator<Event, Result>;
}

/**
 * Creates a channel for events.
 * @param onAbandoned called when the consumer stops early. The work should then end soon; the channel waits for its end
 */
export function createEventChannel<Event>(onAbandoned: () => void): EventChannel<Event> {
  const waiting: Event[] = [];
  let wake = (): void => {};

  return {
    emit(event) {
      waiting.push(event);
      wake();
    },

    async *during(work) {
      let phase: "running" | "ended" = "running";
      const end = (): void => {
        phase = "ended";
        wake();
      };
      const ended = work.then(end, end);
      const isRunning = (): boolean => phase === "running";
      let left: "early" | "at-the-end" = "early";
      try {
        for (;;) {
          while (waiting.length > 0) yield waiting.shift()!;
          if (!isRunning()) break;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        left = "at-the-end";
      } finally {
        if (left === "early") {
          onAbandoned();
          await ended;
        }
      }
      return work;
    },
  };
}

/** Options of `stepTurn`: the tools, who may run them, and limits. All are optional. */
export interface StepOptions extends Pick<PermissionOptions, "permission" | "askHost"> {
  /**
   * The session's tools from now on. Calls to tools that `tool()` did not create are answered as unknown. The list of a
   * fork stays its parent's, and calls to other tools of that list are answered as unknown. @default the session's
   * current tools
   */
  readonly tools?: readonly Tool[];
  /** Stops the turn at once. Its open calls are answered, so no process runs them later. */
  readonly signal?: AbortSignal;
  /**
   * Ends this process's work on the turn at once, because another process may have taken over the turn. This process
   * writes nothing more, and the next process continues from the log. @default only when the session is closed
   */
  readonly left?: AbortSignal;
  /** The maximum number of consecutive requests to continue an answer that was cut at the length limit. @default 3 */
  readonly maxContinuations?: number;
  /** The maximum number of times in one turn that a Stop hook can make the model continue. @default 3 */
  readonly maxStopBlocks?: number;
  /** The queue of messages that arrive while the turn runs. @default none */
  readonly inbox?: Inbox;
  /** Retries after a failure of the provider. The client's own retries are off: this is the only place that retries. */
  readonly retries?: RetryOptions;
  /**
   * A response without data for this long is stopped and requested again. Models that think silently need a larger
   * value. @default 600,000
   */
  readonly stallMs?: number;
  /** The timeout of tools without a `timeoutMs` of their own. @default 600,000 */
  readonly toolTimeoutMs?: number;
  /** @default the system's clock */
  readonly clock?: Clock;
  /** Returns a random number from 0 to 1, for the waits between attempts. @default Math.random */
  readonly random?: () => number;
}

type Ended = Extract<TurnEnd, { kind: "aborted" | "left" }>;

/**
 * Runs `work` in a turn, and yields its events and the session's events. If the turn is stopped, or the consumer stops
 * reading events, the turn's open calls are answered. If another process may have taken over the turn, this process
 * writes nothing more.
 */
async function* withEvents<Result extends object>(
  session: Session,
  options: StepOptions,
  work: (context: StepContext) => Promise<Result>,
): AsyncGenerator<QueryEvent, Result | Ended> {
  const { signal: stop, left } = options;
  const abandoned = new AbortController();
  const given = [stop, left].filter((one) => one !== undefined);
  const signal = AbortSignal.any([session.signal, abandoned.signal, ...given]);
  // If one signal ends a fork and stops its turn, the turn counts as stopped.
  const isLeft = (): boolean => left?.aborted === true || (session.signal.aborted && stop?.aborted !== true);
  const channel = createEventChannel<QueryEvent>(() => abandoned.abort());
  const { emit } = channel;

  async function run(): Promise<Result | Ended> {
    try {
      const result = await work(await createContext(session, { ...options, signal }, { emit, isLeft }));
      if (!("kind" in result) || result.kind !== "aborted") return result;
      if (isLeft()) return { kind: "left" };
      const reason: unknown = stop?.reason;
      const stopped = await session.turn.stop(typeof reason === "string" ? { reason } : {});
      for (const { call, how } of stopped) emit({ kind: "tool-ended", call, status: "error", how });
      return result;
    } catch (error) {
      // The error may be due to another process that has taken over. That process continues from the log.
      if (isLeft()) return { kind: "left" };
      if (session.signal.aborted) return { kind: "aborted" };
      throw error;
    }
  }

  const stopListening = session.events.listen((event) => emit({ kind: "session-event", event }));
  let consumer: "pulls" | "stopped" = "stopped";
  try {
    const result = yield* channel.during(run());
    consumer = "pulls";
    return result;
  } catch (error) {
    // The turn was not stopped. A temporary failure of the store must not end it: any process can continue from the
    // log.
    consumer = "pulls";
    throw error;
  } finally {
    stopListening();
    // A consumer that stops after the end of the work would leave calls open.
    if (consumer === "stopped" && !isLeft()) await session.turn.stop().catch(() => undefined);
  }
}

async function createContext(
  session: Session,
  options: StepOptions & Required<Pick<StepOptions, "signal">>,
  { emit, isLeft }: Pick<StepContext, "emit"> & { readonly isLeft: () => boolean },
): Promise<StepContext> {
  const { tools } = options;
  const ensureRight = (): void => {
    if (isLeft()) throw new SessionLostError(session.id, "this process has left the turn");
  };
  const writing = guardWrites(session, ensureRight);
  const now = session.view.tools();
  const isSame = tools === undefined || (tools.length === now.length && tools.every((one, at) => one === now[at]));
  if (!isSame) await writing.configure({ tools });
  return {
    ...options,
    session: writing,
    emit,
    ensureRight,
    inbox: options.inbox,
    tools: new Map([...session.view.tools(), ...toolsForSearch(session)].filter(isTool).map((one) => [one.name, one])),
    unloaded: (name) => isUnloaded(session, name),
    maxContinuations: options.maxContinuations ?? 3,
    maxStopBlocks: options.maxStopBlocks ?? 3,
    retries: options.retries ?? {},
    stallMs: options.stallMs ?? 600_000,
    toolTimeoutMs: options.toolTimeoutMs ?? 600_000,
    clock: withTimers(options.clock),
    random: options.random ?? Math.random,
  };
}

/**
 * Takes one step of a turn: one exchange with the model, or the tool calls that may run together. `session.turn.next()`
 * reads the next step from the log. Nothing is kept in memory between steps, so another process can take the next step.
 * If a process ends during a step, the step is taken again: the same request is sent again, and a tool call runs again
 * if its tool allows it (`repeat`). Yields events and returns the result of the step. `query` takes steps in a loop.
 */
export async function* stepTurn(session: Session, options: StepOptions = {}): AsyncGenerator<QueryEvent, TurnStep> {
  checkStep("stepTurn", session, options);
  const step = yield* withEvents<TurnStep | Ended>(session, options, takeStep);
  return { rounds: 0, ...step };
}

/**
 * Checks the arguments of a public function.
 * @param of the name of the function
 */
function checkStep(of: string, session: unknown, options: unknown): void {
  const needed = withMethods(["append", "prepare", "record"], "a session: await openSession()");
  checkArgument(`${of}(session)`, session, needed);
  checkOptions(of, options, {
    tools: ifGiven(aList("a list of tools: tool({ name, description, inputSchema, execute })")),
  });
  const { tools = [] } = options as { readonly tools?: readonly unknown[] };
  for (const one of tools) checkTool(`${of}(session, { tools }): tool`, one);
}

/** Options of `query`: the prompt, the tools, who may run them, and limits. All are optional. */
export interface QueryOptions extends StepOptions {
  /**
   * The user's message. Calls that an earlier process left open are answered and do not run. @default none: the turn
   * continues from the log, and after the end of a turn the model is asked to continue
   */
  readonly prompt?: NewContent | readonly NewContent[];
  /** The maximum number of responses in one turn. @default unlimited */
  readonly maxRounds?: number;
  /**
   * Starts background work after the model has finished. The turn does not wait for the work and ignores its errors.
   * @default none
   */
  readonly afterTurn?: (session: Session) => Promise<void>;
}

/**
 * Runs one turn of a session through its provider's client: sends the new content, runs the tools that the model calls,
 * and continues until the model has finished. Yields events and returns how the turn ended. Nothing starts before the
 * first `next()`, and a consumer that stops (`return`, `break`) stops the turn. All lasting state is in the session's
 * log: after a crash, a query without a prompt continues the turn. `query` takes the steps of `stepTurn` one after
 * another.
 */
export async function* query(session: Session, options: QueryOptions = {}): AsyncGenerator<QueryEvent, QueryOutcome> {
  checkStep("query", session, options);
  const { prompt, maxRounds = Number.POSITIVE_INFINITY, afterTurn } = options;
  const content = prompt === undefined ? [] : isList(prompt) ? prompt : [prompt];
  const before = session.ledger.totals();
  let rounds = 0;
  const end = yield* withEvents<TurnEnd>(session, options, async (context) => {
    await begin(context, content);
    for (;;) {
      if (rounds >= maxRounds && session.turn.next().kind === "request") return { kind: "rounds-used-up" };
      const { rounds: more, ...taken } = await takeStep(context);
      rounds += more;
      if (taken.kind !== "responded" && taken.kind !== "ran" && taken.kind !== "continued") return taken;
    }
  });
  const outcome: QueryOutcome = { ...end, rounds, usage: subtractTotals(session.ledger.totals(), before) };
  if (end.kind === "done" && afterTurn !== undefined) inBackground(() => afterTurn(session));
  yield { kind: "turn-ended", outcome };
  return outcome;
}

/** Appends the prompt. With a prompt, calls that an earlier process left open are answered and do not run. */
async function begin({ session, emit }: StepContext, content: readonly NewContent[]): Promise<void> {
  const next = session.turn.next();
  // The prompt itself answers calls that wait for permission.
  const isCutOff = next.kind === "calls" && next.calls.some(({ step }) => step !== "waiting");
  if (content.length > 0 && isCutOff) {
    const stopped = await session.turn.stop();
    for (const { call, how } of stopped) emit({ kind: "tool-ended", call, status: "error", how });
  }
  if (content.length > 0 || next.kind === "nothing") await session.append(content, { answer: "wanted" });
}

function isList(prompt: NewContent | readonly NewContent[]): prompt is readonly NewContent[] {
  return Array.isArray(prompt);
}

function inBackground(work: () => Promise<void>): void {
  void Promise.resolve()
    .then(work)
    .catch(() => undefined);
}
