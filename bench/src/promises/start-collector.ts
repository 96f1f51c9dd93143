import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

export interface Collector {
  readonly url: string;
  /** The bodies of all requests so far, as text. */
  received(): string;
  close(): Promise<void>;
}

/** Takes whatever an exporter sends. */
export async function startCollector(): Promise<Collector> {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    bodies.push((await buffer(request)).toString("latin1"));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: () => bodies.join("\n"),
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}
