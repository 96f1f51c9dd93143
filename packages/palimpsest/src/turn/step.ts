// Takes one step of a turn: sends a request, runs tool calls, or ends the turn.

import { NO_LONGER_NEEDED } from "../clock.ts";
import { WindowFullError } from "../errors.ts";
import { attachment, type NewContent } from "../log/messages.ts";
import type { AnswerStop } from "../log/payload-turn.ts";
import { HOOK, HOST } from "../log/provenance.ts";
import type { Session } from "../session/session.ts";
import type { RecordedResponse } from "../state/responses.ts";
import { CUT_OFF_NOTE, type NextInTurn, type OpenCall } from "../view/turn.ts";
import { type AnswerOptions, answerCall, groupCalls, questionOf } from "./calls.ts";
import type { QueryEvent, TurnEnd } from "./permission.ts";
import { type SendOptions, sendWithRetries } from "./send.ts";

interface ExchangeOptions extends Omit<SendOptions, "provider"> {
  readonly session: Pick<Session, "provider" | "prepare" | "recover" | "turn">;
}

type Exchanged =
  | { readonly kind: "response"; readonly response: unknown; readonly request: unknown }
  | Extract<TurnEnd, { kind: "aborted" | "window-full" | "failed" }>;

type Aborted = Extract<TurnEnd, { kind: "aborted" }>;
type WindowFull = Extract<TurnEnd, { kind: "window-full" }>;

/** Failures that a change of the conversation can fix. */
const RECOVERABLE: readonly string[] = ["overflow", "media-refused"];

/**
 * Sends a request and returns its response. Records an interrupted answer, too; a consumer that stops reading events
 * waits for this. If the provider refuses the request as too long, the conversation is compacted. If it refuses an
 * image or a document, a stub replaces the media. Then a new request is sent, once for each cause: the session decides
 * when to give up.
 */
async function exchange(options: ExchangeOptions): Promise<Exchanged> {
  const { session, signal } = options;
  for (;;) {
    const prepared = await prepareOrEnd(session, signal);
    if (prepared.kind !== "request") return prepared;
    const { request } = prepared;
    const sent = await sendWithRetries(request, {
      ...options,
      provider: session.provider,
      onVoid: async (partial) => void (await session.turn.recordInterrupted(partial, request, { view: "left-out" })),
    });
    if (sent.kind === "response") return { ...sent, request };
    if (sent.kind === "aborted") {
      const { partial } = sent;
      if (partial !== "not-asked")
        await session.turn.recordInterrupted(partial === "nothing-arrived" ? { text: "" } : partial, request);
      return { kind: "aborted" };
    }
    const { partial, ...failed } = sent;
    if (!RECOVERABLE.includes(failed.error.failure.kind)) {
      // Text that the user has seen stays in the view, because a later message may refer to it.
      const view = partial?.text.trim() ? "kept" : "left-out";
      if (partial !== undefined) await session.turn.recordInterrupted(partial, request, { view });
      return failed;
    }
    const recovery = await session.recover(failed.error, signal);
    if (signal.aborted) return { kind: "aborted" };
    if (recovery.kind === "give-up") return { ...failed, advice: recovery.why };
  }
}

async function prepareOrEnd(
  session: Pick<Session, "prepare">,
  signal: AbortSignal,
): Promise<{ readonly kind: "request"; readonly request: unknown } | Aborted | WindowFull> {
  try {
    return { kind: "request", request: await session.prepare({ signal, answer: "streamed" }) };
  } catch (error) {
    if (signal.aborted) return { kind: "aborted" };
    if (!WindowFullError.isInstance(error)) throw error;
    const { sizeTokens, hardLimitTokens, windowTokens, message: advice } = error;
    return { kind: "window-full", sizeTokens, hardLimitTokens, windowTokens, advice };
  }
}

/** A queue for messages that arrive while a turn runs. It is read before every request and before the turn ends. */
export interface Inbox {
  /**
   * Appends the waiting messages, oldest first, and returns their number. A message that cannot be stored keeps
   * waiting.
   */
  deliver(session: InboxSession): Promise<number>;
  /**
   * Called when the model has finished. Resolves when an expected message has arrived, or none is expected. @default
   * the turn ends at once
   */
  settle?(signal: AbortSignal): Promise<void>;
}

/** The parts of a session that an inbox uses. */
export type InboxSession = Pick<Session, "append" | "background">;

/** An inbox in memory, for messages that the user types while the model works. */
export interface MemoryInbox extends Inbox {
  push(...content: readonly NewContent[]): void;
  readonly waiting: readonly NewContent[];
}

/** Creates an inbox in memory. `push` adds content; `query` appends it to the session before its next request. */
export function createInbox(): MemoryInbox {
  const content: NewContent[] = [];
  return {
    push: (...more) => void content.push(...more),
    get waiting() {
      return [...content];
    },
    async deliver(session) {
      const count = content.length;
      if (count > 0) await session.append(content.slice(0, count), { answer: "wanted" });
      content.splice(0, count);
      return count;
    },
  };
}

export interface StepContext extends Omit<ExchangeOptions, "session">, Omit<AnswerOptions, "session"> {
  readonly session: Session;
  readonly inbox: Inbox | undefined;
  readonly maxContinuations: number;
  readonly maxStopBlocks: number;
}

/** The result of a step, and the number of model responses in the step: 0 or 1. */
export type TurnStep = StepResult & { readonly rounds: number };

/** The result of a step. Everything is in the log, so any process can take the next step. */
type StepResult =
  /** The model has answered, and the turn continues. */
  | { readonly kind: "responded" }
  /** `calls` tool calls now have results or wait for permission. */
  | { readonly kind: "ran"; readonly calls: number }
  /** The model was done, but the turn continues: a message arrived, or a hook blocked the end. */
  | { readonly kind: "continued" }
  | TurnEnd;

/** Part of the prompt: a change of this text changes later requests of all sessions. */
const CONTINUE =
  "Your answer was cut at its length limit. Go on exactly where it stops, without repeating or introducing anything.";

/** Takes the next step of a turn, which the log determines. Keeps nothing in memory for later steps. */
export async function takeStep(context: StepContext): Promise<TurnStep> {
  const { session, signal, maxContinuations } = context;
  const without = (result: StepResult): TurnStep => ({ ...result, rounds: 0 });
  if (signal.aborted) return without({ kind: "aborted" });
  const next = session.turn.next();
  if (next.kind === "calls") return without(await runCalls(next.calls, context));
  if (next.kind === "request" && next.cuts > maxContinuations) {
    await session.turn.enterStep({ step: "ended", stop: "length" });
    return without(await endTurn(context, "length"));
  }
  if (next.kind === "request" && next.answer === "cut") {
    const asked = attachment(CUT_OFF_NOTE, CONTINUE, HOST);
    await session.turn.enterStep({ step: "continued", why: "cut-off" }, asked);
  }
  await takeMessages(context);
  if (signal.aborted) return without({ kind: "aborted" });
  return session.turn.next().kind === "nothing" ? without(await endTurn(context)) : respond(context);
}

/** Runs the first group of calls that may run together. Calls that wait for permission do not block other calls. */
async function runCalls(calls: readonly OpenCall[], context: StepContext): Promise<StepResult> {
  const { session, tools, signal } = context;
  const [group] = groupCalls(
    calls.filter(({ step }) => step !== "waiting"),
    tools,
  );
  if (group === undefined) {
    return { kind: "waiting", questions: calls.map((open) => questionOf(open, session.id)) };
  }
  await whileWarm(session, async () => {
    // Waits for all calls even if one fails, because each call needs a result.
    const settled = await Promise.allSettled(group.map((open) => answerCall(open, context)));
    for (const one of settled) if (one.status === "rejected") throw one.reason;
  });
  return signal.aborted ? { kind: "aborted" } : { kind: "ran", calls: group.length };
}

async function respond(context: StepContext): Promise<TurnStep> {
  const { session, emit } = context;
  const exchanged = await exchange(context);
  if (exchanged.kind !== "response") return { ...exchanged, rounds: 0 };
  const response = await session.record(exchanged.response, exchanged.request, { calls: "in-steps" });
  emit({ kind: "response", response });
  warnOfOverflow(response, emit);
  if (session.turn.next().kind !== "nothing") return { kind: "responded", rounds: 1 };
  return { ...(await endTurn(context, response.stop)), rounds: 1 };
}

/** Ends the turn after the model has finished, unless a new message or a hook continues it. */
async function endTurn(context: StepContext, stop?: AnswerStop): Promise<StepResult> {
  const { session, inbox, signal, emit, maxStopBlocks } = context;
  const refused = endedAs(session.turn.next(), stop);
  if (refused?.kind === "refused") return refused;
  if ((await takeMessages(context)) > 0) return { kind: "continued" };
  if (inbox?.settle !== undefined) {
    await inbox.settle(signal);
    if (signal.aborted) return { kind: "aborted" };
    if ((await takeMessages(context)) > 0) return { kind: "continued" };
  }
  const { blocked } = await session.events.runHooks("Stop", { sessionId: session.id }, { signal });
  const now = session.turn.next();
  const end = endedAs(now, stop);
  if (now.kind !== "nothing" || end === undefined) return { kind: "continued" };
  if (blocked === undefined || signal.aborted) return end;
  if (now.stopBlocks >= maxStopBlocks) {
    const what = `The turn ends, although a hook (${blocked.by}) has blocked the end ${now.stopBlocks + 1} times`;
    emit({ kind: "notice", text: `${what}: ${blocked.reason}` });
    return end;
  }
  await session.turn.enterStep({ step: "continued", why: "hook" }, attachment("hook", blocked.reason, HOOK));
  return { kind: "continued" };
}

function endedAs(now: NextInTurn, stop?: AnswerStop): TurnEnd | undefined {
  if (now.kind !== "nothing") return undefined;
  const { text } = now;
  return now.stop === "refused" ? { kind: "refused", text } : { kind: "done", text, stop: stop ?? now.stop };
}

/** Appends the messages that wait in the inbox and returns their number. */
async function takeMessages({ session, inbox, emit }: StepContext): Promise<number> {
  const count = (await inbox?.deliver(session)) ?? 0;
  if (count === 0) return 0;
  emit({ kind: "new-content-taken", count });
  // An inbox of the host may append attachments that do not ask for an answer.
  if (session.turn.next().kind === "nothing") await session.turn.enterStep({ step: "opened" });
  return count;
}

/** Keeps the prompt in the provider's cache while tools run, if the settings allow it and it saves money. */
async function whileWarm(session: Pick<Session, "provider">, work: () => Promise<void>): Promise<void> {
  const over = new AbortController();
  // Without the cache the turn still works. If the session itself has failed, its next call throws.
  void session.provider.keepWarm({ activity: "tool-runs", signal: over.signal }).catch(() => undefined);
  try {
    await work();
  } finally {
    over.abort(NO_LONGER_NEEDED);
  }
}

function warnOfOverflow({ overflow }: RecordedResponse, emit: (event: QueryEvent) => void): void {
  if (overflow === undefined) return;
  const { inputTokens, limitTokens } = overflow;
  const text = `The request had ${inputTokens} tokens, but the window holds ${limitTokens}. The model saw only a part of the request.`;
  emit({ kind: "notice", text });
}
