import { type AsyncHttpFace, encodeEvent, type HttpReply } from "./http-face.ts";
import { type IdleClock, idleClock } from "./idle-clock.ts";

/** The face to ask, and how time passes. */
export interface InProcessOptions {
  readonly face: AsyncHttpFace;
  /** The clock for stalled streams. @default one that advances when nothing happens */
  readonly clock?: IdleClock;
  /** The delay of every event of a stream, asked when the stream begins. @default no time */
  readonly eventMs?: () => number;
}

/** Returns a `fetch` for the real clients: the simulator answers each call in this process. */
export function fetchInProcess({ face, clock = idleClock(), eventMs = () => 0 }: InProcessOptions): typeof fetch {
  return async (input, init = {}) => {
    const { method = "GET", body = "", signal } = init;
    signal?.throwIfAborted();
    const headers = Object.fromEntries(new Headers(init.headers));
    const { pathname: path, search } = new URL(String(input));
    const reply = await face.handle({ method, path, query: search.slice(1), headers, body: String(body) });
    if (reply === undefined) throw new Error(`No face answers ${method} ${path}.`);
    if (reply.outcome.kind === "broken") throw new Error(reply.outcome.message);
    if (reply.kind === "reset") throw new TypeError("fetch failed");
    if (reply.kind === "json") {
      reply.begun?.();
      return Response.json(reply.body ?? null, { status: reply.status, headers: reply.headers });
    }
    if (reply.kind === "bytes") {
      const body = ReadableStream.from(recorded(reply));
      return new Response(body, { status: reply.status, headers: reply.headers });
    }
    const pace = eventMs();
    const stream = ReadableStream.from(arriving(reply, { clock, pace, ...(signal == null ? {} : { signal }) }));
    return new Response(stream, { headers: { "content-type": "text/event-stream", ...reply.headers } });
  };
}

async function* recorded({ bytes, ended: how }: Extract<HttpReply, { kind: "bytes" }>): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
  if (how === "cut") ended("reset");
}

async function* arriving(
  { events, fault, begun, encode = encodeEvent }: Extract<HttpReply, { kind: "stream" }>,
  { clock, pace, signal }: { readonly clock: IdleClock; readonly pace: number; readonly signal?: AbortSignal },
): AsyncGenerator<Uint8Array> {
  begun();
  // A quick stream arrives in a few pieces, because the time between its events does not matter.
  let waiting: Uint8Array[] = [];
  let size = 0;
  const arrived = (): Uint8Array[] => {
    const piece = waiting.length === 0 ? [] : [Buffer.concat(waiting)];
    waiting = [];
    size = 0;
    return piece;
  };
  for (const [index, event] of events.entries()) {
    if (fault?.afterEvents === index) {
      yield* arrived();
      if (fault.kind === "stream-cut") return ended(fault.how);
      await clock.wait(fault.forMs, signal);
    }
    if (pace > 0) await clock.wait(pace, signal);
    signal?.throwIfAborted();
    const bytes = encode(event);
    waiting.push(bytes);
    size += bytes.length;
    if (pace > 0 || size >= 10_000) yield* arrived();
  }
  yield* arrived();
  if (fault?.kind === "stream-cut") ended(fault.how);
}

function ended(how: "closed" | "reset"): void {
  if (how === "reset") throw new TypeError("terminated");
}
