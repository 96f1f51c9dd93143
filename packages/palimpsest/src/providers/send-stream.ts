import type { StreamPart } from "./provider.ts";
import { ProviderError } from "./provider-error.ts";
import { toProviderError } from "./to-provider-error.ts";

/** Puts a response together from its events. */
export interface Collector<Event, Response> {
  /** Takes an event in; returns what of it can be shown. Throws if the event says that the response failed. */
  add(event: Event): readonly StreamPart[];
  /** The response, once its last event has come. A stream that just ends was cut, and what it brought is not whole. */
  whole(): Response | undefined;
}

export interface StreamCall<Event, Response> {
  readonly provider: string;
  readonly signal: AbortSignal | undefined;
  readonly collector: Collector<Event, Response>;
  /** Makes the call; resolves when the response begins, or is there as a whole. */
  open(): Promise<AsyncIterable<Event> | { readonly whole: Response }>;
}

/** Runs a streaming call to its end. Whatever goes wrong is thrown as a ProviderError. */
export async function* sendStream<Event, Response>({
  provider,
  signal,
  collector,
  open,
}: StreamCall<Event, Response>): AsyncGenerator<StreamPart, Response> {
  let phase: "call" | "stream" = "call";
  try {
    const opened = await open();
    if ("whole" in opened) return opened.whole;
    phase = "stream";
    for await (const event of opened) yield* collector.add(event);
  } catch (error) {
    throw toProviderError(error, { provider, phase, signal });
  }
  const response = collector.whole();
  if (response !== undefined) return response;
  // The clients end a stream without a word when they are told to stop.
  if (signal?.aborted) throw new ProviderError(provider, { kind: "aborted" }, "the call was aborted");
  throw new ProviderError(
    provider,
    { kind: "broken-stream" },
    "the stream ended before its last event: what it brought is not whole; send the request again",
  );
}

/** What every call is made with: the one who asked owns the retries, so the client makes none. */
export function callOptions(signal: AbortSignal | undefined): { maxRetries: 0; signal?: AbortSignal } {
  return { maxRetries: 0, ...(signal === undefined ? {} : { signal }) };
}
