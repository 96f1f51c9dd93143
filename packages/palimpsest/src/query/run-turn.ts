import { HOOK, HOST } from "../log/provenance.ts";
import { attachment, toolResult } from "../session/messages.ts";
import type { RecordedResponse } from "../session/recorded-response.ts";
import type { Session } from "../session/session.ts";
import { afterResponse } from "./after-response.ts";
import type { AnswerOptions } from "./answer-call.ts";
import type { EventChannel } from "./event-channel.ts";
import { type ExchangeOptions, exchange } from "./exchange.ts";
import type { Inbox } from "./inbox.ts";
import { CUT_OFF } from "./open-calls.ts";
import type { QueryEvent, TurnEnd } from "./query-event.ts";
import { runCalls } from "./run-calls.ts";

export interface TurnOptions extends Omit<ExchangeOptions, "session">, Omit<AnswerOptions, "session"> {
  readonly session: Session;
  readonly channel: EventChannel<QueryEvent>;
  readonly inbox: Inbox | undefined;
  /** Responses so far. */
  readonly rounds: () => number;
  readonly maxRounds: number;
  readonly maxContinuations: number;
  readonly maxStopBlocks: number;
}

/** Part of the prompt: a changed word changes what sessions send from then on. */
const CONTINUE =
  "Your answer was cut at its length limit. Go on exactly where it stops, without repeating or introducing anything.";

/** Runs rounds until the model has finished. Events are emitted; the log is valid for a request whenever the turn ends. */
export async function* runTurn(options: TurnOptions): AsyncGenerator<QueryEvent, TurnEnd> {
  const { session, channel, inbox, signal, emit, rounds } = options;
  const { maxRounds, maxContinuations, maxStopBlocks } = options;
  const { during } = channel;
  let continuations = 0;
  let stopBlocks = 0;
  let text = "";
  const take = async (): Promise<number> => {
    const count = (await inbox?.deliver(session)) ?? 0;
    if (count > 0) emit({ kind: "new-content-taken", count });
    return count;
  };
  for (;;) {
    yield* during(take());
    if (signal.aborted) return { kind: "aborted" };
    if (rounds() >= maxRounds) return { kind: "rounds-used-up" };

    const exchanged = yield* during(exchange(options));
    if (exchanged.kind !== "response") return exchanged;
    const response = yield* during(session.record(exchanged.response, exchanged.request));
    emit({ kind: "response", response });
    warnOfOverflow(response, emit);

    const isCut = response.stop === "length" || response.stop === "window";
    const step = afterResponse(response, maxContinuations - continuations);
    text = continuations > 0 ? text + response.text : response.text;
    continuations = isCut ? continuations + 1 : 0;
    if (step.kind === "refused") return { kind: "refused", text };
    if (step.kind === "run-calls") {
      yield* during(whileWarm(session, () => runCalls(step.calls, options)));
      if (signal.aborted) return { kind: "aborted" };
      if (step.cutOff === undefined) continue;
      yield* during(session.append(toolResult(step.cutOff.id, CUT_OFF, "error")));
      emit({ kind: "tool-ended", call: step.cutOff, status: "error", how: "not-run" });
      if (continuations <= maxContinuations) continue;
      return { kind: "done", text, stop: response.stop };
    }
    if (step.kind === "go-on") yield* during(session.append(attachment("cut-off", CONTINUE, HOST)));
    if (step.kind !== "end") continue;

    if ((yield* during(take())) > 0) continue;
    if (inbox?.settle !== undefined) {
      yield* during(inbox.settle(signal));
      if (signal.aborted) return { kind: "aborted" };
      if ((yield* during(take())) > 0) continue;
    }
    const { blocked } = yield* during(session.events.runHooks("Stop", { sessionId: session.id }, { signal }));
    const done = { kind: "done", text, stop: response.stop } as const;
    if (blocked === undefined || signal.aborted) return done;
    if (stopBlocks >= maxStopBlocks) {
      const what = `The turn ends, though a hook (${blocked.by}) has blocked its end ${stopBlocks + 1} times`;
      emit({ kind: "notice", text: `${what}: ${blocked.reason}` });
      return done;
    }
    stopBlocks++;
    yield* during(session.append(attachment("hook", blocked.reason, HOOK)));
  }
}

/** Keeps the prompt in the provider's cache while tools run, if the settings allow it and it saves money. */
async function whileWarm(session: Pick<Session, "provider">, work: () => Promise<void>): Promise<void> {
  const over = new AbortController();
  // The turn continues without it; the session's own failures show at its next use.
  void session.provider.keepWarm({ activity: "tool-runs", signal: over.signal }).catch(() => undefined);
  try {
    await work();
  } finally {
    over.abort();
  }
}

function warnOfOverflow({ overflow }: RecordedResponse, emit: (event: QueryEvent) => void): void {
  if (overflow === undefined) return;
  const { inputTokens, limitTokens } = overflow;
  const text = `The request had ${inputTokens} tokens, more than the window of ${limitTokens}: the answer is to a part of it.`;
  emit({ kind: "notice", text });
}
