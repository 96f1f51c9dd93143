import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Clock, systemClock } from "./clock.ts";
import type { HttpCall, HttpFace, HttpReply, ServerSentEvent } from "./http-face.ts";
import { type Exchange, Recorder } from "./recorder.ts";

export interface ServeOptions {
  /** Asked in order; the first that knows the call answers it. */
  faces: readonly HttpFace[];
  /** @default the system's clock */
  clock?: Clock;
  /** @default 0: a free port */
  port?: number;
  /** Told of every exchange when it is recorded. */
  watch?: (exchange: Exchange) => void;
}

export interface SimulatorServer {
  /** `http://127.0.0.1:PORT`, without a trailing slash. */
  readonly url: string;
  readonly recorder: Recorder;
  close(): Promise<void>;
}

/** Serves the faces over loopback. Nothing but the local machine can reach it. */
export async function serve({ faces, clock = systemClock, port = 0, watch }: ServeOptions): Promise<SimulatorServer> {
  const recorder = new Recorder();
  const server = createServer(async (incoming, outgoing) => {
    try {
      const call = await readCall(incoming);
      const reply = replyTo(call, faces);
      const { path, headers, body } = call;
      const exchange = recorder.record({ atMs: clock.now(), path, headers, body, outcome: reply.outcome });
      watch?.(exchange);
      await send(reply, outgoing);
    } catch (error) {
      // A bug in the simulator must not look like a fault of the provider: it says what it is.
      if (!outgoing.headersSent) outgoing.writeHead(500, { "content-type": "text/plain" });
      outgoing.end(`The simulator itself failed: ${error instanceof Error ? error.stack : String(error)}`);
    }
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

function replyTo(call: HttpCall, faces: readonly HttpFace[]): HttpReply {
  for (const face of faces) {
    const reply = face.handle(call);
    if (reply !== undefined) return reply;
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

async function readCall(incoming: IncomingMessage): Promise<HttpCall> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return {
    method: incoming.method ?? "GET",
    path: new URL(incoming.url ?? "/", "http://simulator").pathname,
    headers,
    body: Buffer.concat(chunks).toString("utf8"),
  };
}

async function send(reply: HttpReply, outgoing: ServerResponse): Promise<void> {
  if (reply.kind === "reset") {
    outgoing.destroy();
    return;
  }
  if (reply.kind === "json") {
    outgoing.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
    outgoing.end(JSON.stringify(reply.body));
    return;
  }
  outgoing.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", ...reply.headers });
  reply.begun();
  for (const [index, event] of reply.events.entries()) {
    if (reply.fault?.afterEvents === index) {
      if (reply.fault.kind === "stream-stall") await sleep(reply.fault.forMs);
      else return cut(reply.fault.how, outgoing);
    }
    if (outgoing.destroyed) return;
    if (!outgoing.write(encode(event))) await Promise.race([once(outgoing, "drain"), once(outgoing, "close")]);
  }
  if (reply.fault?.kind === "stream-cut") return cut(reply.fault.how, outgoing);
  outgoing.end();
}

function cut(how: "closed" | "reset", outgoing: ServerResponse): void {
  if (how === "closed") outgoing.end();
  else outgoing.destroy();
}

function encode({ event, data }: ServerSentEvent): string {
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${data}\n\n`;
}
