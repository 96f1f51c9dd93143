// Sends a request with retries, and stops streams that stall.

import { type Clock, type Watched, type WatchOptions, watchCall } from "../clock.ts";
import { type Provider, ProviderError, type ReportedUsage, type StreamPart } from "../providers/provider.ts";
import { readStream } from "../providers/stream.ts";
import type { ToolStream } from "../schema/tool.ts";
import type { InterruptedAnswer } from "../session/record-interrupted.ts";
import type { FailedSending, QueryEvent } from "./permission.ts";

/** Collects the parts of a response, in case it is interrupted. */
interface PartialAnswer {
  add(part: StreamPart): void;
  /** The received parts; undefined if there are none. */
  answer(): InterruptedAnswer | undefined;
}

/**
 * Collects the parts of a stream for `session.turn.recordInterrupted`. Thinking and tool inputs are only measured,
 * because incomplete ones cannot be sent back.
 */
export function createPartialAnswer(): PartialAnswer {
  let state: "empty" | "begun" = "empty";
  let text = "";
  let unshownCharacters = 0;
  const calls: string[] = [];
  let reported: { readonly responseId?: string; readonly model?: string; readonly usage?: ReportedUsage } = {};
  return {
    add(part) {
      // The request is not sent yet, so it has no cost.
      if (part.kind === "request-waiting") return;
      state = "begun";
      switch (part.kind) {
        case "report": {
          const { kind: _, ...report } = part;
          reported = { ...reported, ...report };
          break;
        }
        case "text":
          text += part.text;
          break;
        case "tool_call":
          calls.push(part.name);
          break;
        case "thinking":
        case "tool_input":
          unshownCharacters += part.text.length;
          break;
      }
    },
    answer() {
      if (state === "empty") return undefined;
      return { ...reported, text, calls, unshownCharacters };
    },
  };
}

/** Limits for retries after a failure of the provider. */
export interface RetryOptions {
  /** The maximum number of attempts, including the first. @default 5 */
  readonly maxAttempts?: number;
  /**
   * The limit for all waits of one request together. If a server requests a longer wait, the request fails. @default
   * 300,000
   */
  readonly maxWaitMs?: number;
  /** The maximum of the first wait. The maximum doubles with each attempt. @default 1,000 */
  readonly firstWaitMs?: number;
  /** The maximum of any wait, unless the server requests a longer one. @default 60,000 */
  readonly longestWaitMs?: number;
}

/** The failed attempts of a request. */
interface FailedTries {
  /** The number of attempts so far. */
  readonly tries: number;
  /** The time waited so far. */
  readonly waitedMs: number;
  /** The wait that the server requests. */
  readonly retryAfterMs?: number | undefined;
  /** A random number from 0 to 1, new for every wait. */
  readonly random: number;
}

/**
 * Returns the wait before the next attempt; undefined if the request is given up. The wait is random up to its maximum,
 * so that clients that failed together do not retry together. A wait that the server requests is never shortened. Pure.
 */
export function retryDelayMs(
  { tries, waitedMs, retryAfterMs, random }: FailedTries,
  { maxAttempts = 5, maxWaitMs = 300_000, firstWaitMs = 1_000, longestWaitMs = 60_000 }: RetryOptions = {},
): number | undefined {
  if (tries >= maxAttempts) return undefined;
  const boundMs = Math.min(longestWaitMs, firstWaitMs * 2 ** (tries - 1));
  const delayMs =
    retryAfterMs === undefined ? Math.round(random * boundMs) : retryAfterMs + Math.round(random * firstWaitMs);
  return waitedMs + delayMs > maxWaitMs ? undefined : delayMs;
}

/** How to send a request: the provider, the limits for retries and stalls, and the event listener. */
export interface SendOptions {
  readonly provider: Pick<Provider, "name" | "send">;
  readonly retries: RetryOptions;
  /** A stream without data for this long is broken. */
  readonly stallMs: number;
  readonly clock: Required<Clock>;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly emit: (event: QueryEvent) => void;
  /** Receives the parts of a broken stream before a retry, because the provider bills them. @default none */
  readonly onVoid?: (partial: InterruptedAnswer) => Promise<void>;
}

/** The result of a request after all attempts. */
type Sent =
  | { readonly kind: "response"; readonly response: unknown }
  /** `partial`: the parts that the last attempt received. */
  | ({ readonly kind: "failed"; readonly partial?: InterruptedAnswer } & FailedSending)
  | { readonly kind: "aborted"; readonly partial: Interrupted };

/** The received parts of the answer. `not-asked`: no request was running. */
type Interrupted = InterruptedAnswer | "nothing-arrived" | "not-asked";

/** Sends one request until it succeeds, fails permanently or reaches a limit. Every attempt sends the same bytes. */
export async function sendWithRetries(request: unknown, options: SendOptions): Promise<Sent> {
  const { provider, retries, stallMs, clock, random, signal, emit, onVoid = async () => {} } = options;
  let waitedMs = 0;
  for (let tries = 1; ; tries++) {
    if (signal.aborted) return { kind: "aborted", partial: "not-asked" };
    const partial = createPartialAnswer();
    emit({ kind: "request-started", tries });
    const called = await watchCall(
      (own, onData) =>
        readStream(provider.send(request, { signal: own }), (part) => {
          onData();
          // Events after the end of the watch do not belong to this attempt.
          if (own.aborted) return;
          partial.add(part);
          if (part.kind !== "report") emit(part);
        }),
      { clock, stallMs, signal },
    );
    if (called.kind === "done") return { kind: "response", response: called.result };
    if (called.kind === "aborted") return { kind: "aborted", partial: partial.answer() ?? "nothing-arrived" };
    const error = called.kind === "failed" ? called.error : stalled(provider.name, stallMs);
    if (!ProviderError.isInstance(error)) throw error;
    const waitMs = isPassing(error) ? delayOf(error, { tries, waitedMs, random: random() }, retries) : undefined;
    const broken = partial.answer();
    if (waitMs === undefined) return { kind: "failed", error, tries, waitedMs, partial: broken };
    if (broken !== undefined) await onVoid(broken);
    emit({ kind: "retry-waiting", reason: error.failure.kind, message: error.message, waitMs, tries });
    await clock.wait(waitMs, signal);
    waitedMs += waitMs;
  }
}

const PASSING: readonly string[] = ["rate-limited", "overloaded", "broken-stream", "unreachable"];

function isPassing({ failure }: ProviderError): boolean {
  return PASSING.includes(failure.kind);
}

function delayOf(
  { failure }: ProviderError,
  failed: { readonly tries: number; readonly waitedMs: number; readonly random: number },
  retries: RetryOptions,
): number | undefined {
  const retryAfterMs = "retryAfterMs" in failure ? failure.retryAfterMs : undefined;
  return retryDelayMs({ ...failed, retryAfterMs }, retries);
}

function stalled(provider: string, stallMs: number): ProviderError {
  const message = `no data arrived for ${stallMs / 1_000} seconds, so the response is incomplete`;
  return new ProviderError(provider, { kind: "broken-stream" }, message);
}

/**
 * Reads the chunks of a stream that may hang, throw or never end. Ends in time and never throws; the return value says
 * how the stream ended. One watch covers the whole stream, because some tools send a chunk for every line.
 */
export async function* watchStream(
  source: ToolStream,
  watch: WatchOptions,
): AsyncGenerator<Uint8Array | string, Watched<void>> {
  const over = Promise.withResolvers<void>();
  let onData = (): void => {};
  let wake = (): void => {};
  let ended: Watched<void> | undefined;
  const watched = watchCall((_, emit) => {
    onData = emit;
    return over.promise;
  }, watch).then((how) => {
    ended = how;
    wake();
    return how;
  });
  const iterator = source[Symbol.asyncIterator]();
  try {
    while (ended === undefined) {
      const next = await new Promise<IteratorResult<Uint8Array | string> | undefined>((resolve) => {
        wake = () => resolve(undefined);
        // An exception ends the watch, and the end of the watch resolves this promise.
        (async () => iterator.next())().then(resolve, over.reject);
      });
      if (next === undefined) break;
      if (next.done === true) over.resolve();
      if (next.done === true) return await watched;
      onData();
      yield next.value;
    }
    return await watched;
  } finally {
    over.resolve();
    // Not awaited, because a generator that hangs would block this function, too.
    (async () => iterator.return?.())().catch(() => undefined);
  }
}
