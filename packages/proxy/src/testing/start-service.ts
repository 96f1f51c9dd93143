import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
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
): Promise<StartedService> {
  const received: ReceivedRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const { method = "", url: path = "", rawHeaders } = incoming;
    const request = { method, path, rawHeaders, body: await buffer(incoming).catch(() => Buffer.alloc(0)) };
    received.push(request);
    answer(response, request, incoming);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}
