import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface StartedProxy {
  readonly port: number;
  /** Cuts all connections, in the middle of whatever they carry. */
  cut(): number;
  stop(): Promise<void>;
}

/** A network to a server's socket that can be cut. While the server is gone, connections end as they begin. */
export async function startProxy(socketPath: string): Promise<StartedProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((client) => {
    const upstream = connect(socketPath);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [upstream, client] as const]) {
      from.pipe(to);
      from.on("error", () => undefined);
      from.on("close", () => {
        pairs.delete(pair);
        to.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): number => {
    const count = pairs.size;
    for (const pair of pairs) for (const socket of pair) socket.destroy();
    pairs.clear();
    return count;
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    async stop() {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}
