import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { type Clock, systemClock } from "./clock.ts";
import { type AsyncHttpFace, encodeEvent, type HttpCall, type HttpReply } from "./http-face.ts";
import { type BeyondLoopback, toListenAddress } from "./listen-address.ts";
import { listenBoth } from "./listen-both.ts";
import { type Exchange, Recorder } from "./recorder.ts";

/** The faces that are served, and the port. */
export interface ServeOptions {
  /** Asked in order; the first that accepts the call answers it. */
  faces: readonly AsyncHttpFace[];
  /** Lets other machines call, with a token as their API key. @default only this machine, without a token */
  beyondLoopback?: BeyondLoopback;
  /** @default the system's clock */
  clock?: Clock;
  /** @default 0: a free port */
  port?: number;
  /**
   * The delay before the first byte of an answer. Cache writes of a request become readable only from then on: set some
   * milliseconds to see simultaneous requests miss each other's cache. @default 0
   */
  firstByteAfterMs?: number;
  /** Called with every exchange when it is recorded. */
  watch?: (exchange: Exchange) => void;
}

/** A running simulator: its address, and a record of what it received. */
export interface SimulatorServer {
  /** `http://127.0.0.1:PORT`, or with the host that was given; without a trailing slash. */
  readonly url: string;
  readonly recorder: Recorder;
  close(): Promise<void>;
}

/** Serves the APIs over loopback: only this machine can reach them, unless `beyondLoopback` is given. */
export async function serve(options: ServeOptions): Promise<SimulatorServer> {
  const { faces, clock = systemClock, port = 0, firstByteAfterMs = 0, watch } = options;
  const address = toListenAddress(options.beyondLoopback);
  const recorder = new Recorder();
  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    // Before the body is read: strangers cannot fill the memory.
    if (!address.admits(incoming.headers)) return refuseStranger(outgoing);
    const call = await readCall(incoming);
    const reply = await replyTo(call, faces);
    const { outcome } = reply;
    const exchange = recorder.record({ atMs: clock.now(), ...call, response: toResponse(reply), outcome });
    watch?.(exchange);
    const gone = new AbortController();
    outgoing.once("close", () => gone.abort());
    await send(reply, outgoing, { firstByteAfterMs, gone: gone.signal });
  }
  // A client that leaves in the middle of its request must not end the process, and neither must an address that is none.
  const take = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    answer(incoming, outgoing).catch((error: unknown) => giveUp(outgoing, error));
  };
  const server = await listenBoth(take, { port, host: address.host });
  return { url: `http://${address.urlHost}:${server.port}`, recorder, close: () => server.close() };
}

function toResponse(reply: HttpReply): Exchange["response"] {
  if (reply.kind === "reset") return { kind: "none" };
  const { headers } = reply;
  if (reply.kind === "bytes") return { kind: "bytes", status: reply.status, headers, bytes: reply.bytes };
  if (reply.kind === "stream") return { kind: "stream", headers, events: reply.events };
  return { kind: "json", status: reply.status, headers, body: reply.body };
}

async function replyTo(call: HttpCall, faces: readonly AsyncHttpFace[]): Promise<HttpReply> {
  try {
    for (const face of faces) {
      const reply = await face.handle(call);
      if (reply !== undefined) return reply;
    }
  } catch (error) {
    return brokenReply(error);
  }
  const message = `No face of the simulator answers ${call.method} ${call.path}.`;
  return {
    kind: "json",
    status: 404,
    headers: {},
    body: { type: "error", error: { type: "not_found_error", message } },
    outcome: { kind: "refused", status: 404, message },
  };
}

/** Not recorded: it never reached a provider. The connection closes, with whatever else it would have sent. */
function refuseStranger(outgoing: ServerResponse): void {
  const message =
    "The simulator's token is missing or wrong. Send it as your API key, or in the header x-simulator-token.";
  outgoing.writeHead(401, {
    "content-type": "application/json",
    ...closing(outgoing),
  });
  outgoing.end(JSON.stringify({ type: "error", error: { type: "authentication_error", message } }));
}

/** An error in a script must not look like a fault of the provider, nor be hidden by a client's retry. */
function brokenReply(error: unknown): Extract<HttpReply, { kind: "json" }> {
  const message = `The simulator itself failed: ${error instanceof Error ? error.stack : String(error)}`;
  return {
    kind: "json",
    status: 500,
    headers: { "x-should-retry": "false" },
    body: { type: "error", error: { type: "simulator_broken", message } },
    outcome: { kind: "broken", message },
  };
}

function giveUp(outgoing: ServerResponse, error: unknown): void {
  if (outgoing.headersSent || outgoing.destroyed) {
    outgoing.destroy();
    return;
  }
  const { status, headers, body } = brokenReply(error);
  outgoing.writeHead(status, { "content-type": "application/json", ...headers, ...closing(outgoing) });
  outgoing.end(JSON.stringify(body));
}

async function readCall(incoming: IncomingMessage): Promise<Required<HttpCall>> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    // Of HTTP/2 alone: method, path, and the host under another name.
    if (name === ":authority") headers["host"] ??= String(value);
    else if (value !== undefined && !name.startsWith(":"))
      headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  const bytes = Buffer.concat(chunks);
  const { pathname: path, search } = new URL(incoming.url ?? "/", "http://simulator");
  const { method = "GET" } = incoming;
  return { method, path, query: search.slice(1), headers, body: bytes.toString("utf8"), bytes };
}

interface SendOptions {
  readonly firstByteAfterMs: number;
  /** The client has left, or the server was closed. */
  readonly gone: AbortSignal;
}

async function send(
  reply: HttpReply,
  outgoing: ServerResponse,
  { firstByteAfterMs, gone }: SendOptions,
): Promise<void> {
  if (reply.kind === "reset") return reset(outgoing);
  await pause(firstByteAfterMs, gone);
  if (reply.kind === "json") {
    reply.begun?.();
    outgoing.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
    outgoing.end(reply.body === undefined ? "" : JSON.stringify(reply.body));
    return;
  }
  if (reply.kind === "bytes") {
    outgoing.sendDate = false;
    outgoing.writeHead(reply.status, reply.headers);
    if (reply.ended === "whole") outgoing.end(reply.bytes);
    else outgoing.write(reply.bytes, () => reset(outgoing));
    return;
  }
  outgoing.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", ...reply.headers });
  const { encode = encodeEvent } = reply;
  for (const [index, event] of reply.events.entries()) {
    if (reply.fault?.afterEvents === index) {
      if (reply.fault.kind === "stream-cut") return cut(reply.fault.how, outgoing);
      await pause(reply.fault.forMs, gone);
    }
    if (gone.aborted) return;
    const isTaken = outgoing.write(encode(event));
    if (index === 0) reply.begun();
    if (!isTaken) await Promise.race([once(outgoing, "drain"), once(outgoing, "close")]);
  }
  if (reply.fault?.kind === "stream-cut") return cut(reply.fault.how, outgoing);
  outgoing.end();
}

/** Waits, unless the client has left. */
async function pause(forMs: number, gone: AbortSignal): Promise<void> {
  if (forMs > 0) await sleep(forMs, undefined, { signal: gone }).catch(() => {});
}

function cut(how: "closed" | "reset", outgoing: ServerResponse): void {
  if (how === "closed") outgoing.end();
  else reset(outgoing);
}

/** The connection breaks, with every stream that it has. */
function reset(outgoing: ServerResponse): void {
  if (isSecond(outgoing)) outgoing.stream.session?.destroy();
  else outgoing.destroy();
}

/** HTTP/2 has no such header. */
function closing(outgoing: ServerResponse): Record<string, string> {
  return isSecond(outgoing) ? {} : { connection: "close" };
}

function isSecond(outgoing: ServerResponse): outgoing is ServerResponse & Pick<Http2ServerResponse, "stream"> {
  return "stream" in outgoing;
}
