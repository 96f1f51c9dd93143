import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { openAnswers } from "./answer-openly.ts";
import { type AnswerParts, answerRequest, type StreamAnswer } from "./answer-request.ts";
import { crossOriginHeaders, PREFLIGHT_HEADERS } from "./http/cross-origin.ts";
import { problem } from "./http/problems.ts";
import { createRequestRate } from "./http/request-rate.ts";
import { type Closing, sendEvents } from "./http/send-events.ts";
import { sendJson, sendReply } from "./http/send-reply.ts";
import { createStreamSlots } from "./http/stream-slots.ts";
import { DEFAULT_LIMITS, type ServeSessionsOptions } from "./server-options.ts";
import { createProvenTokens } from "./tokens/proven-tokens.ts";
import { isExpired, nameOf, type StoredToken } from "./tokens/token.ts";

/** A server that runs. */
export interface SessionServer {
  /** `http://ADDRESS:PORT`, without a trailing slash. */
  readonly url: string;
  /**
   * Stops: `/health/ready` fails at once, new requests are refused, streams are told to connect elsewhere, and running requests are waited for.
   * @param options `graceMs`: after so long, connections are cut. @default 30,000
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

const REVOKED: Closing = {
  reason: "token-revoked",
  advice: "The token is not valid any more. Connect with another one.",
};

/** Serves sessions over HTTP: `/v1/openapi.json` describes the API. Any number of processes may serve the same sessions. */
export async function serveSessions(options: ServeSessionsOptions): Promise<SessionServer> {
  const { host, tokens, address = "127.0.0.1", port = 0, allowedOrigins = [], onRequest, onError, telemetry } = options;
  const { clock = { now: Date.now } } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const rate = createRequestRate(clock);
  const proven = createProvenTokens();
  const slots = createStreamSlots(limits);
  const stopping = new AbortController();
  const answerOpenly = openAnswers({
    host,
    stopping: stopping.signal,
    onError: (error) => onError?.(error, { requestId: "none", operation: "health" }),
  });

  function stillValid({ tenant, id }: StoredToken): () => Promise<Closing | undefined> {
    return async () => {
      const token = await tokens.find(tenant, id);
      return token === undefined || isExpired(token, clock.now()) ? REVOKED : undefined;
    };
  }

  async function respond(
    request: IncomingMessage,
    response: ServerResponse,
    { requestId, traceparent }: { readonly requestId: string; readonly traceparent: string | undefined },
  ) {
    const sending = { requestId, stallMs: limits.stallMs };
    const allowed = crossOriginHeaders(request.headers.origin, allowedOrigins);
    const common = { "x-request-id": requestId, "x-content-type-options": "nosniff", "cache-control": "no-store" };
    for (const [name, value] of Object.entries({ ...common, ...allowed })) response.setHeader(name, value);
    if (request.method === "OPTIONS" && "vary" in allowed)
      return void response.writeHead(204, { ...PREFLIGHT_HEADERS }).end();
    const open = await answerOpenly(`${request.method} ${request.url}`);
    if (open !== undefined) return void sendJson(response, open.status, open.body);
    if (stopping.signal.aborted) {
      const detail = "The server is stopping. Send the request again: another server answers it.";
      const stopped = problem("stopping", detail, { retryAfterMs: 1_000, headers: { connection: "close" } });
      return void (await sendReply(response, stopped, sending));
    }
    const end = new AbortController();
    response.once("close", () => end.abort());
    const parts: AnswerParts = {
      host,
      tokens,
      rate,
      proven,
      limits,
      clock,
      traceparent,
      onError: (error, operation) => onError?.(error, { requestId, operation }),
    };
    const answered = await answerRequest(request, end, parts);
    if (answered.kind === "plain") await sendReply(response, answered.reply, sending);
    else await stream(response, answered, end, requestId);
    return answered;
  }

  async function stream(
    response: ServerResponse,
    { events, token }: StreamAnswer,
    end: AbortController,
    requestId: string,
  ) {
    const slot = slots.take(nameOf(token));
    if (slot.kind === "problem") return sendReply(response, slot, { requestId, stallMs: limits.stallMs });
    try {
      const { heartbeatMs: everyMs, stallMs } = limits;
      await sendEvents(response, events, end, {
        everyMs,
        stallMs,
        mustEnd: stillValid(token),
        stopping: stopping.signal,
      });
    } finally {
      slot.free();
    }
  }

  const running = new Set<Promise<void>>();
  const idle = async (): Promise<void> => {
    while (running.size > 0) await Promise.all(running);
  };
  function handle(request: IncomingMessage, response: ServerResponse): void {
    const work: Promise<void> = answer(request, response).finally(() => running.delete(work));
    running.add(work);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = randomUUID();
    const startedAtMs = performance.now();
    const method = request.method ?? "";
    const sent = traceparentOf(request);
    const seen = telemetry?.begin(sent === undefined ? { method } : { method, traceparent: sent });
    let done: Awaited<ReturnType<typeof respond>>;
    try {
      done = await respond(request, response, { requestId, traceparent: seen?.traceparent ?? sent });
    } catch (error) {
      // What is sent breaks off, so that the client does not take a part for the whole.
      onError?.(error, { requestId, operation: "send" });
      response.destroy();
    }
    const { route, token } = done ?? {};
    const facts = {
      operation: route?.operation,
      tenant: token?.tenant,
      status: response.statusCode,
      durationMs: performance.now() - startedAtMs,
    };
    seen?.end(route === undefined ? facts : { ...facts, route: route.path });
    onRequest?.({ requestId, method, ...facts, token: token?.id });
  }

  const headersTimeout = Math.min(10_000, limits.receiveTimeoutMs);
  const server = createServer(
    // How late a request is found out to be late: by default half a minute, which would be most of what it costs.
    { requestTimeout: limits.receiveTimeoutMs, headersTimeout, connectionsCheckingInterval: headersTimeout / 4 },
    handle,
  );
  server.maxConnections = limits.maxConnections;
  server.listen(port, address);
  await once(server, "listening");
  const bound = server.address() as AddressInfo;
  const name = bound.family === "IPv6" ? `[${bound.address}]` : bound.address;
  return {
    url: `http://${name}:${bound.port}`,
    async close({ graceMs = 30_000 } = {}) {
      stopping.abort();
      // Until then requests are refused with what to do, which a closed port cannot say.
      await Promise.race([idle(), sleep(graceMs, undefined, { ref: false })]);
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** W3C; a header of another form is as good as none, as the standard wants it. */
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-[\x21-\x7e]{0,100})?$/;

function traceparentOf({ headers: { traceparent } }: IncomingMessage): string | undefined {
  return typeof traceparent === "string" && TRACEPARENT.test(traceparent) ? traceparent : undefined;
}
