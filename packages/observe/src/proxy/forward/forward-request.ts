import { type Agent, type IncomingMessage, request as requestHttp, type ServerResponse } from "node:http";
import { request as requestHttps } from "node:https";
import type { Readable } from "node:stream";
import type { Route } from "../upstreams.ts";
import { toClient, toUpstream } from "./headers.ts";
import type { ProxyProblem } from "./proxy-error.ts";

export interface ForwardLimits {
  /** How long a connection to the service may take. */
  readonly connectMs: number;
  /** How long the service may be silent, before its answer and in it. */
  readonly silenceMs: number;
}

export interface ForwardOptions {
  readonly incoming: IncomingMessage;
  readonly route: Route;
  readonly agent: Agent;
  readonly limits: ForwardLimits;
  /** The client's own stream, or a body that was read before. */
  readonly body: Readable | Buffer;
  /** Whether the length of the body is another than the client's. @default "as sent" */
  readonly length?: "as sent" | "changed";
}

/** A service's answer, of which nothing was read yet; or why there is none. */
export type Answer =
  | { readonly kind: "answer"; readonly message: IncomingMessage }
  | { readonly kind: "problem"; readonly problem: ProxyProblem }
  /** The client has gone. */
  | { readonly kind: "gone" };

/** Sends a request to its service, byte by byte as it arrives. Resolves with the head of the answer. */
export function sendRequest(client: ServerResponse, options: ForwardOptions): Promise<Answer> {
  const { incoming, route, agent, limits, body, length = "as sent" } = options;
  const { origin, path, upstream } = route;
  return new Promise((resolve) => {
    if (client.destroyed) return resolve({ kind: "gone" });
    const changed = length === "changed" && Buffer.isBuffer(body) ? body.length : undefined;
    const target = {
      protocol: origin.protocol,
      hostname: origin.hostname.replace(/^\[|\]$/g, ""),
      port: origin.port,
      method: incoming.method,
      path,
      agent,
      headers: toUpstream(incoming.rawHeaders, origin.host, changed),
    };
    const outgoing = origin.protocol === "https:" ? requestHttps(target) : requestHttp(target);
    const fail = (status: number, code: string, message: string): void => {
      resolve({ kind: "problem", problem: { status, code, message } });
      outgoing.destroy();
    };
    let isAnswered = false;
    const name = `${upstream} (${origin.host})`;
    const connecting = setTimeout(
      () =>
        fail(
          504,
          "connect-timeout",
          `No connection to ${name} within ${limits.connectMs / 1_000} s. Check the network.`,
        ),
      limits.connectMs,
    );
    outgoing.once("socket", (socket) => {
      if (!socket.connecting) clearTimeout(connecting);
      else socket.once(origin.protocol === "https:" ? "secureConnect" : "connect", () => clearTimeout(connecting));
    });
    outgoing.setTimeout(limits.silenceMs, () =>
      fail(504, "silence", `${name} sent nothing for ${limits.silenceMs / 1_000} s. Try again.`),
    );
    outgoing.once("response", (message) => {
      clearTimeout(connecting);
      isAnswered = true;
      resolve({ kind: "answer", message });
    });
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      clearTimeout(connecting);
      // A service may answer before it has read the request; what it said still counts.
      if (isAnswered) return;
      fail(502, "unreachable", `${name} cannot be reached (${error.code ?? error.message}). Try again.`);
    });
    client.once("close", () => {
      clearTimeout(connecting);
      if (!client.writableFinished) outgoing.destroy();
      resolve({ kind: "gone" });
    });
    if (Buffer.isBuffer(body)) outgoing.end(body);
    else body.pipe(outgoing);
  });
}

/** Sends an answer to the client as it arrives. Resolves when it has gone, or was cut. */
export function sendAnswer(
  client: ServerResponse,
  message: IncomingMessage,
  onData: (chunk: Buffer) => void,
): Promise<"whole" | "cut"> {
  return new Promise((resolve) => {
    if (client.destroyed) {
      message.destroy();
      return resolve("cut");
    }
    client.sendDate = false;
    const headers = toClient(message.rawHeaders);
    client.writeHead(message.statusCode!, message.statusMessage, headers);
    // The head must not wait for the first byte of the body. Node flushes it as UTF-8: other bytes than ASCII would be changed.
    if (headers.every(isAscii)) client.flushHeaders();
    message.pipe(client);
    message.on("data", onData);
    // Cut off: the client must not take what it has for the whole.
    message.once("error", () => client.destroy());
    message.once("close", () => {
      if (!message.complete) client.destroy();
    });
    client.once("error", () => message.destroy());
    client.once("close", () => {
      message.destroy();
      resolve(client.writableFinished && message.complete ? "whole" : "cut");
    });
  });
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}
