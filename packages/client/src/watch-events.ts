import { ApiError } from "./api-error.ts";
import { eventParser, type ParsedEvent } from "./parse-events.ts";
import { pause, type Send } from "./send.ts";
import type { SessionEvent, WatchedEvent } from "./wire.ts";

/** Where to begin watching, and when a silent connection is given up. */
export interface WatchOptions {
  /** The offset of the last event that you have, or `newest` for what comes from now on. @default all events that there are */
  readonly after?: number | "newest";
  /** Ends the stream. */
  readonly signal?: AbortSignal;
  /** A connection that is silent for so long is given up: the server sends a sign of life every 15 s. @default 45,000 */
  readonly silentMs?: number;
}

const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 10_000;

/**
 * Watches a session, and connects again wherever the connection breaks: every event comes once and in order. It ends with the signal, and
 * throws an `ApiError` if the server refuses the stream.
 */
export async function* watchEvents(
  send: Send,
  session: string,
  newestOffset: () => Promise<number>,
  { after, signal, silentMs = 45_000 }: WatchOptions,
): AsyncGenerator<WatchedEvent> {
  // As a number, so that nothing is lost if the first connection breaks.
  let last = after === "newest" ? await newestOffset() : after;
  let waitMs = 0;
  while (!signal?.aborted) {
    try {
      await pause(waitMs, signal);
      waitMs = Math.min(MAX_WAIT_MS, Math.max(FIRST_WAIT_MS, waitMs * 2));
      for await (const { id, name, data } of connect(send, session, last, { signal, silentMs })) {
        waitMs = 0;
        // The server stops, or refuses the token from now on: the next connection tells.
        if (name === "closing") break;
        const event = JSON.parse(data) as SessionEvent;
        if (id !== undefined) last = Number(id);
        yield id === undefined ? { event } : { offset: Number(id), event };
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof ApiError && error.status < 500 && error.status !== 429) throw error;
    }
  }
}

async function* connect(
  send: Send,
  session: string,
  last: number | undefined,
  { signal, silentMs }: { readonly signal: AbortSignal | undefined; readonly silentMs: number },
): AsyncGenerator<ParsedEvent> {
  const silent = new AbortController();
  const ended = signal === undefined ? silent.signal : AbortSignal.any([signal, silent.signal]);
  let timer = setTimeout(() => silent.abort(), silentMs);
  try {
    const path = `/v1/sessions/${encodeURIComponent(session)}/events`;
    const headers: Record<string, string> = last === undefined ? {} : { "last-event-id": String(last) };
    const response = await send({ method: "GET", path, headers, signal: ended });
    const parse = eventParser();
    const decoder = new TextDecoder();
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
      clearTimeout(timer);
      timer = setTimeout(() => silent.abort(), silentMs);
      yield* parse(decoder.decode(bytes, { stream: true }));
    }
  } finally {
    clearTimeout(timer);
    // Ends the connection of a consumer that stops.
    silent.abort();
  }
}
