import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { readAnswer, type ServiceAnswer } from "./read-answer.ts";

/** A request that went to the service, and what came back. */
export interface Relayed {
  readonly body: string;
  readonly status: number;
  readonly answer: ServiceAnswer;
  readonly arrivedMs: number;
  readonly answeredMs: number;
}

export interface Relay {
  readonly url: string;
  /** Requests for responses, in the order of their answers. */
  readonly relayed: readonly Relayed[];
  close(): Promise<void>;
}

export interface RelayOptions {
  /** The address of the service. */
  readonly target: string;
  readonly key: string;
}

/** Headers that belong to one connection, and the contestant's own key. */
const NOT_SENT_ON = [
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
  "accept-encoding",
  "x-api-key",
  "authorization",
];

/** A local address that sends every request on to the service, with the key, and remembers what was said. */
export async function startRelay({ target, key }: RelayOptions): Promise<Relay> {
  const relayed: Relayed[] = [];

  async function send(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const arrivedMs = performance.now();
    const body = await readAll(request);
    const headers = Object.entries(request.headers).flatMap(([name, value]) =>
      NOT_SENT_ON.includes(name) || value === undefined ? [] : [[name, String(value)] as const],
    );
    const answered = await fetch(new URL(request.url ?? "/", target), {
      method: request.method ?? "POST",
      headers: { ...Object.fromEntries(headers), "x-api-key": key },
      ...(body === "" ? {} : { body }),
    });
    const type = answered.headers.get("content-type") ?? "application/json";
    response.writeHead(answered.status, { "content-type": type });
    const texts: string[] = [];
    const decoder = new TextDecoder();
    for await (const chunk of answered.body ?? []) {
      texts.push(decoder.decode(chunk, { stream: true }));
      response.write(chunk);
    }
    response.end();
    if (request.url?.split("?")[0] !== "/v1/messages") return;
    const answer = readAnswer(texts.join(""), type);
    relayed.push({ body, status: answered.status, answer, arrivedMs, answeredMs: performance.now() });
  }

  const server = createServer((request, response) => {
    send(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(502, { "content-type": "application/json" });
      response.end(JSON.stringify({ type: "error", error: { type: "api_error", message: String(error) } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    relayed,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
