// Sends a streaming call and assembles its response.

import { checkArgument, withMethods } from "../schema/check-options.ts";
import { toProviderError } from "./errors.ts";
import { ProviderError, type StreamPart } from "./provider.ts";

/** Reads a stream to its end and returns the whole response. Calls the listener, if any, with each part. */
export async function readStream<Response>(
  parts: AsyncGenerator<StreamPart, Response>,
  onPart: (part: StreamPart) => void = () => {},
): Promise<Response> {
  checkArgument("readStream(parts)", parts, withMethods(["next"], "the stream that provider.send(request) returns"));
  for (;;) {
    const next = await parts.next();
    if (next.done === true) return next.value;
    onPart(next.value);
  }
}

/** Runs a streaming call to its end. Throws every failure as a ProviderError. */
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
  // The clients end an aborted stream without an error.
  if (signal?.aborted) throw new ProviderError(provider, { kind: "aborted" }, "the call was aborted");
  throw new ProviderError(
    provider,
    { kind: "broken-stream" },
    "the stream ended before its last event, so the response is incomplete; send the request again",
  );
}

interface StreamCall<Event, Response> {
  readonly provider: string;
  readonly signal: AbortSignal | undefined;
  readonly collector: Collector<Event, Response>;
  /** Makes the call. Resolves when the response begins, or with the whole response. */
  open(): Promise<AsyncIterable<Event> | { readonly whole: Response }>;
}

/** Assembles a response from the events of its stream. */
export interface Collector<Event, Response> {
  /** Adds an event and returns the stream parts in it. Throws if the event reports a failure. */
  add(event: Event): readonly StreamPart[];
  /**
   * Returns the response once its last event has arrived. Undefined before: a stream that ends early was cut off.
   */
  whole(): Response | undefined;
}

/** Returns the client's options of every call. Palimpsest retries by itself, so the client must not. */
export function callOptions(signal: AbortSignal | undefined): { maxRetries: 0; signal?: AbortSignal } {
  return { maxRetries: 0, signal };
}
