import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";

export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

export interface Collector {
  readonly url: string;
  readonly received: readonly Received[];
  at(path: string): readonly Received[];
}

/** A collector, as far as an exporter can tell. */
export async function startCollector(status = 200): Promise<Collector> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString("latin1");
    received.push({ path: request.url ?? "", headers: request.headers, body });
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, received, at: (path) => received.filter((one) => one.path === path) };
}
