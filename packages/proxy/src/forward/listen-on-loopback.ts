import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface Listening {
  readonly url: string;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** Lets programs of this machine connect, and nobody else. Throws the system's error if the port is taken. */
export async function listenOnLoopback(server: Server, port: number): Promise<Listening> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
