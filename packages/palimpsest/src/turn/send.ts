import { watchCall } from "../clock.ts";
import type { Provider } from "../providers/provider.ts";
import { ProviderError } from "../providers/provider-error.ts";
import { readStream } from "../providers/read-stream.ts";
import { createPartialAnswer } from "../query/partial-answer.ts";
import { type RetryOptions, retryDelayMs } from "../query/retry-delay.ts";
import type { Clock } from "../session/clock.ts";
import type { InterruptedAnswer } from "../session/interrupted-answer.ts";
import type { FailedSending, QueryEvent } from "./permission.ts";

export interface SendOptions {
  readonly provider: Pick<Provider, "name" | "send">;
  readonly retries: RetryOptions;
  /** A stream that delivers nothing for this long is broken. */
  readonly stallMs: number;
  readonly clock: Required<Clock>;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly emit: (event: QueryEvent) => void;
  /** Takes the parts that a broken stream delivered before the request is sent again: they were paid for. @default none */
  readonly onVoid?: (partial: InterruptedAnswer) => Promise<void>;
}

export type Sent =
  | { readonly kind: "response"; readonly response: unknown }
  /** `partial`: the parts that the last try delivered. */
  | ({ readonly kind: "failed"; readonly partial?: InterruptedAnswer } & FailedSending)
  | { readonly kind: "aborted"; readonly partial: Interrupted };

/** The received parts of the answer; `not-asked`: no request was under way. */
type Interrupted = InterruptedAnswer | "nothing-arrived" | "not-asked";

/** Sends one request until it is answered, or waiting does not help. Sends the same bytes every time. */
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
          // Events after the end of the watch belong to no try.
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
    if (waitMs === undefined)
      return { kind: "failed", error, tries, waitedMs, ...(broken === undefined ? {} : { partial: broken }) };
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
  const message = `nothing has arrived for ${stallMs / 1_000} seconds; what the stream brought is not whole`;
  return new ProviderError(provider, { kind: "broken-stream" }, message);
}
