import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const EVENT_MS = 5;

export interface StreamingUpstream {
  readonly url: string;
  close(): void;
}

/** Answers with as many events as the header `x-events` asks for, the first at once, the others one every few milliseconds. */
export async function startStreamingUpstream(): Promise<StreamingUpstream> {
  const server = createServer(async (incoming, response) => {
    incoming.resume();
    if (!incoming.complete) await once(incoming, "end");
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (let number = 0; number < Number(incoming.headers["x-events"]); number++) {
      if (number > 0) await sleep(EVENT_MS);
      response.write(eventText(number));
    }
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

export function eventText(number: number): string {
  return `event: ping\ndata: {"type":"ping","number":${number}}\n\n`;
}
