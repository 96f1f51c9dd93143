import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Clock, systemClock } from "./clock.ts";
import type { HttpCall, HttpFace, HttpReply, ServerSentEvent } from "./http-face.ts";
import { type Exchange, Recorder } from "./recorder.ts";

export interface ServeOptions {
  /** Asked in order; the first that accepts the call answers it. */
  faces: readonly HttpFace[];
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

export interface SimulatorServer {
  /** `http://127.0.0.1:PORT`, without a trailing slash. */
  readonly url: string;
  readonly recorder: Recorder;
  close(): Promise<void>;
}

/** Serves the APIs over loopback. Only the local machine can reach them. */
export async function serve(options: ServeOptions): Promise<SimulatorServer> {
  const { faces, clock = systemClock, port = 0, firstByteAfterMs = 0, watch } = options;
  const recorder = new Recorder();
  const server = createServer(async (incoming, outgoing) => {
    const { call, bytes } = await readCall(incoming);
    const reply = replyTo(call, faces);
    const { outcome } = reply;
    const exchange = recorder.record({ atMs: clock.now(), ...call, bytes, response: toResponse(reply), outcome });
    watch?.(exchange);
    const gone = new AbortController();
    outgoing.once("close", () => gone.abort());
    await send(reply, outgoing, { firstByteAfterMs, gone: gone.signal });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const { port: boundPort } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${boundPort}`,
    recorder,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function toResponse(reply: HttpReply): Exchange["response"] {
  if (reply.kind === "reset") return { kind: "none" };
  const { headers } = reply;
  if (reply.kind === "stream") return { kind: "stream", headers, events: reply.events };
  return { kind: "json", status: reply.status, headers, body: reply.body };
}

function replyTo(call: HttpCall, faces: readonly HttpFace[]): HttpReply {
  try {
    for (const face of faces) {
      const reply = face.handle(call);
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

/** An error in a script must not look like a fault of the provider, nor be hidden by a client's retry. */
function brokenReply(error: unknown): HttpReply {
  const message = `The simulator itself failed: ${error instanceof Error ? error.stack : String(error)}`;
  return {
    kind: "json",
    status: 500,
    headers: { "x-should-retry": "false" },
    body: { type: "error", error: { type: "simulator_broken", message } },
    outcome: { kind: "broken", message },
  };
}

async function readCall(incoming: IncomingMessage): Promise<{ call: HttpCall; bytes: Uint8Array }> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  const bytes = Buffer.concat(chunks);
  const { pathname: path } = new URL(incoming.url ?? "/", "http://simulator");
  return { call: { method: incoming.method ?? "GET", path, headers, body: bytes.toString("utf8") }, bytes };
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
  if (reply.kind === "reset") {
    outgoing.destroy();
    return;
  }
  await pause(firstByteAfterMs, gone);
  if (reply.kind === "json") {
    reply.begun?.();
    outgoing.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
    outgoing.end(reply.body === undefined ? "" : JSON.stringify(reply.body));
    return;
  }
  outgoing.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", ...reply.headers });
  for (const [index, event] of reply.events.entries()) {
    if (reply.fault?.afterEvents === index) {
      if (reply.fault.kind === "stream-cut") return cut(reply.fault.how, outgoing);
      await pause(reply.fault.forMs, gone);
    }
    if (outgoing.destroyed) return;
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
  else outgoing.destroy();
}

function encode({ event, data }: ServerSentEvent): string {
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${data}\n\n`;
}
