import { createHash, randomBytes } from "node:crypto";
import { createServer, Agent as HttpAgent, type IncomingMessage, type ServerResponse } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { aText, checkOptions } from "palimpsest/schema";
import { type ForwardLimits, sendAnswer, sendRequest } from "./forward/forward-request.ts";
import { listenOnLoopback } from "./forward/listen-on-loopback.ts";
import { answerProblem } from "./forward/proxy-error.ts";
import { createTee, type HeldBytes } from "./forward/tee.ts";
import { whyRefused } from "./forward/why-refused.ts";
import { withoutKeys } from "./forward/without-keys.ts";
import type { ExchangeFacts } from "./observe/exchange.ts";
import type { ProxyEvent } from "./proxy-event.ts";
import { startObserver } from "./start-observer.ts";
import { type StoredAnswer, sendStored } from "./store/send-stored.ts";
import { checkUpstreams, findRoute, type Upstreams } from "./upstreams.ts";
import { apiOf, credentialOf, shownHeaders, withoutCredentials } from "./wire/wire-apis.ts";

/** The services behind the proxy, and the folder of its logs. */
export interface ProxyOptions {
  /** The services that requests may go to, by the first segment of their path. */
  readonly upstreams: Upstreams;
  /** Where logs are written, readable by this user only. Stored results are in a folder below. */
  readonly folder: string;
  /**
   * `observe`: bytes go both ways untouched. `store`: large new results of tools are replaced by a beginning, an end and the name of a file,
   * once; only in requests that are paid by key. @default "observe"
   */
  readonly mode?: ProxyMode;
  /** 0: any free port. @default 0 */
  readonly port?: number;
  /** A folder for a file of each exchange, to be replayed in tests. @default none is recorded */
  readonly record?: string;
  readonly limits?: Partial<ProxyLimits>;
  readonly onEvent?: (event: ProxyEvent) => void;
}

/** Whether the proxy only observes, or also stores large tool results. */
export type ProxyMode = "observe" | "store";

export interface ProxyLimits extends ForwardLimits {
  /** A larger body is forwarded and not looked at. */
  readonly maxObservedBytes: number;
  /** All bodies that wait to be looked at. */
  readonly maxHeldBytes: number;
  /** Results beyond this many bytes are stored. */
  readonly maxResultBytes: number;
  /** How long an edit may take; after that the request goes as it is. */
  readonly editMs: number;
  /** How long open requests may take after `close`; after that they are cut. */
  readonly closeMs: number;
}

/** Clients of the three APIs give up after ten minutes: theirs is the first word. */
export const DEFAULT_PROXY_LIMITS: ProxyLimits = {
  connectMs: 30_000,
  silenceMs: 660_000,
  maxObservedBytes: 64 * 1024 * 1024,
  maxHeldBytes: 512 * 1024 * 1024,
  maxResultBytes: 50_000,
  editMs: 2_000,
  closeMs: 10_000,
};

/** A proxy that runs. */
export interface StartedProxy {
  /** `http://127.0.0.1:PORT`; a service is below it: `${url}/NAME`. */
  readonly url: string;
  /** Resolves when all that has gone by is in the logs. */
  settled(): Promise<void>;
  /** From now on, nothing is edited. */
  stopEditing(): void;
  /** Accepts no more requests, lets open ones end, and resolves when the logs are written. */
  close(): Promise<void>;
}

/** Client connections stay open longer than any client's pool keeps them: a request never meets a closing one. */
const KEEP_ALIVE_MS = 120_000;
/** Connections to services are closed before services close them, so that no request meets a closing one. */
const IDLE_MS = 15_000;

/**
 * Starts a proxy on this machine's loopback address. Requests and answers are forwarded as they arrive; those of the three APIs that are
 * understood (`wire/wire-apis.ts`) are looked at by a thread after they have gone.
 */
export async function startProxy(options: ProxyOptions): Promise<StartedProxy> {
  checkOptions("startProxy", options, { folder: aText("a path") });
  const { folder, mode = "observe", port = 0, record, onEvent = () => {} } = options;
  const upstreams = checkUpstreams(options.upstreams);
  const limits: ProxyLimits = { ...DEFAULT_PROXY_LIMITS, ...options.limits };
  const recording = record === undefined ? {} : { record };
  const observer = await startObserver({ folder, maxResultBytes: limits.maxResultBytes, ...recording }, onEvent);
  const pool = { keepAlive: true, timeout: IDLE_MS };
  const agents = { "http:": new HttpAgent(pool), "https:": new HttpsAgent(pool) };
  const held: HeldBytes = { limitBytes: limits.maxHeldBytes, heldBytes: 0 };
  // Digests of credentials cannot be compared with those of another process.
  const salt = randomBytes(32);
  let editing = mode === "store";

  async function answer(incoming: IncomingMessage, client: ServerResponse): Promise<void> {
    const { method = "GET", url: target = "/" } = incoming;
    const route = findRoute(upstreams, target);
    if (route === undefined) {
      const known = [...upstreams.keys()].map((name) => `/${name}`).join(", ");
      const message = `No service is at ${target}. Use a path below ${known}.`;
      return answerProblem(client, { status: 404, code: "unknown-service", message });
    }
    const api = apiOf(method, route.path);
    const isLookedAt = api !== undefined || record !== undefined;
    const request = createTee(held, limits.maxObservedBytes);
    const response = createTee(held, limits.maxObservedBytes);
    const sentAtMs = Date.now();
    const forwarding = { incoming, route, limits, agent: agents[route.origin.protocol as keyof typeof agents] };
    const who = () => ({
      upstream: route.upstream,
      headers: shownHeaders(incoming.headers),
      credential: createHash("sha256").update(salt).update(credentialOf(incoming.headers)).digest("base64url"),
    });
    const send = async (): Promise<StoredAnswer> => {
      if (api !== undefined && editing) {
        const { editMs } = limits;
        return sendStored(client, { ...forwarding, arrived: { api, ...who() }, observer, request, editMs, onEvent });
      }
      const sent = sendRequest(client, { ...forwarding, body: incoming });
      if (isLookedAt) incoming.on("data", request.add);
      return { answer: await sent };
    };
    try {
      const { answer: answered, edited, edits } = await send();
      if (answered.kind === "gone") return;
      if (answered.kind === "problem") {
        const { status, message } = answered.problem;
        onEvent({ kind: "failed", upstream: route.upstream, status, why: message });
        return answerProblem(client, answered.problem);
      }
      const { message } = answered;
      const ended = await sendAnswer(client, message, isLookedAt ? response.add : () => {});
      if (!isLookedAt) return;
      const [sentChunks, receivedChunks] = [request.chunks(), response.chunks()];
      if (typeof sentChunks === "string" || typeof receivedChunks === "string") {
        const why = typeof sentChunks === "string" ? sentChunks : (receivedChunks as "too-large" | "too-much");
        return onEvent({ kind: "passed", why, detail: `${method} ${withoutKeys(route.asked)}` });
      }
      const facts: ExchangeFacts = {
        api,
        ...who(),
        method,
        path: withoutKeys(route.asked),
        sentAtMs,
        atMs: Date.now(),
        status: message.statusCode ?? 0,
        responseHeaders: withoutCredentials(message.headers),
        ended,
        edits,
      };
      const changed = edited === undefined ? {} : { edited: [edited] };
      await observer.observe(facts, { request: sentChunks, response: receivedChunks, ...changed });
    } finally {
      request.release();
      response.release();
    }
  }

  const running = new Set<Promise<void>>();
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (incoming, client) => {
    // A client that goes away while it sends is known by its response, which closes.
    incoming.on("error", () => {});
    const refused = whyRefused(incoming);
    if (refused !== undefined) return answerProblem(client, refused);
    const answered: Promise<void> = answer(incoming, client)
      .catch((error: unknown) => {
        const message = `It failed: ${(error as Error)?.message ?? String(error)}`;
        onEvent({ kind: "failed", upstream: "", status: 500, why: message });
        answerProblem(client, { status: 500, code: "failed", message });
      })
      .finally(() => void running.delete(answered));
    running.add(answered);
  });
  server.on("connect", (_, socket) => {
    socket.end("HTTP/1.1 405 Method Not Allowed\r\ncontent-length: 0\r\n\r\n", () => socket.destroy());
  });
  const { url, close } = await listenOnLoopback(server, port);
  return {
    url,
    async settled() {
      await Promise.allSettled(running);
      await observer.settled();
    },
    stopEditing() {
      editing = false;
    },
    async close() {
      await close(Promise.allSettled(running), limits.closeMs);
      await Promise.allSettled(running);
      for (const agent of Object.values(agents)) agent.destroy();
      await observer.close();
    },
  };
}
