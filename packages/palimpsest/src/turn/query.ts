import { SessionLostError } from "../errors.ts";
import { createEventChannel } from "../query/event-channel.ts";
import type { Inbox } from "../query/inbox.ts";
import type { PermissionOptions } from "../query/permission.ts";
import type { RetryOptions } from "../query/retry-delay.ts";
import { isUnloaded, toolsForSearch } from "../query/search-tools.ts";
import { isTool, type Tool } from "../schema/tool.ts";
import { type Clock, withTimers } from "../session/clock.ts";
import type { Session } from "../session/session.ts";
import type { QueryEvent, TurnEnd } from "./permission.ts";
import type { StepContext } from "./step.ts";

/** Options of `stepTurn`: the tools, who may run them, and limits. All are optional. */
export interface StepOptions extends Pick<PermissionOptions, "permission" | "askHost"> {
  /**
   * The session's tools from now on. @default the tools it has; a call of a tool that was not made by `tool()` is answered as
   * unknown
   */
  readonly tools?: readonly Tool[];
  /** Ends the turn for the user, at once: its open calls are answered, so that nobody runs them later. */
  readonly signal?: AbortSignal;
  /**
   * Ends the work of this process on the turn, at once, because another one may have taken it over. Nothing more is written: what
   * was under way is found in the log by whoever continues. @default only when the session is closed
   */
  readonly left?: AbortSignal;
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
  /** @default the system's clock */
  readonly clock?: Clock;
  /** Returns a number from 0 to 1, for the waits between tries. @default Math.random */
  readonly random?: () => number;
}

export type Ended = Extract<TurnEnd, { kind: "aborted" | "left" }>;

/**
 * Runs work on a turn, and yields its events and those of the session. If it is stopped, or its consumer stops pulling, the open
 * calls of the turn are answered. If the process has lost its right to the turn, nothing is written any more.
 */
export async function* withEvents<Result extends object>(
  session: Session,
  options: StepOptions,
  work: (context: StepContext) => Promise<Result>,
): AsyncGenerator<QueryEvent, Result | Ended> {
  const { signal: stop, left } = options;
  const abandoned = new AbortController();
  const given = [stop, left].filter((one) => one !== undefined);
  const signal = AbortSignal.any([session.signal, abandoned.signal, ...given]);
  // A fork may end by the signal that stops its turn: then the turn is stopped.
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
      // What fails now fails because another process may be at work: whoever continues finds the log as it is.
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
    // Nobody has stopped the turn: a store that is away for a moment must not end it. Whoever continues finds the log as it is.
    consumer = "pulls";
    throw error;
  } finally {
    stopListening();
    // Who stops pulling behind the end of the work leaves calls open.
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
    if (isLeft()) throw new SessionLostError(session.id, "this process has left its turn");
  };
  const writing = writingWith(session, ensureRight);
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

/** The same session, which writes nothing once the process has lost its right. */
function writingWith(session: Session, ensureRight: () => void): Session {
  const { background, turn } = session;
  const guarded =
    <Args extends readonly unknown[], Written>(write: (...args: Args) => Promise<Written>) =>
    async (...args: Args): Promise<Written> => {
      ensureRight();
      return write(...args);
    };
  return {
    ...session,
    append: guarded(session.append as (...args: readonly unknown[]) => Promise<readonly number[]>),
    record: guarded(session.record),
    prepare: guarded(session.prepare),
    recover: guarded(session.recover),
    configure: guarded(session.configure),
    background: { ...background, enterAgent: guarded(background.enterAgent) },
    turn: {
      ...turn,
      stop: guarded(turn.stop),
      recordInterrupted: guarded(turn.recordInterrupted),
      enterCall: guarded(turn.enterCall),
      enterStep: guarded(turn.enterStep),
    },
  };
}
