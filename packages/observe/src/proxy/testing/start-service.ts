import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** A request as a service received it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

export interface StartedService {
  readonly url: string;
  readonly received: readonly ReceivedRequest[];
}

/** A service that answers as told, and keeps every byte that it received. */
export async function startService(
  answer: (response: ServerResponse, request: ReceivedRequest, incoming: IncomingMessage) => void,
  tls?: { readonly key: string; readonly cert: string },
): Promise<StartedService> {
  const received: ReceivedRequest[] = [];
  const listener = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "", url: path = "", rawHeaders } = incoming;
    const request = { method, path, rawHeaders, body: await buffer(incoming).catch(() => Buffer.alloc(0)) };
    received.push(request);
    answer(response, request, incoming);
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: tls === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`, received };
}
