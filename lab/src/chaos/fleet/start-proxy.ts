import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { Transform } from "node:stream";

export interface StartedProxy {
  readonly port: number;
  /** Cuts all connections, in the middle of whatever they carry. */
  cut(): number;
  /** Everything takes so much longer from now on, in either direction. */
  delay(ms: number): void;
  /** Carries nothing until `resume`: the connections stay, as they do when a network is partitioned. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

/** A network to a server's socket that can be slow, stand still, and be cut. While the server is gone, connections end as they begin. */
export async function startProxy(socketPath: string): Promise<StartedProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let delayMs = 0;
  let gate = Promise.resolve();
  let open = (): void => undefined;
  const carry = (): Transform =>
    new Transform({
      transform(chunk, _, done) {
        const pass = (): void => void gate.then(() => done(null, chunk));
        if (delayMs > 0) setTimeout(pass, delayMs);
        else pass();
      },
    });
  const server = createServer((client) => {
    const upstream = connect(socketPath);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [upstream, client] as const]) {
      from.pipe(carry()).pipe(to);
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
    delay(ms) {
      delayMs = ms;
    },
    pause() {
      const gated = Promise.withResolvers<void>();
      gate = gated.promise;
      open = gated.resolve;
    },
    resume: () => open(),
    async stop() {
      open();
      cut();
      server.close();
      await once(server, "close");
    },
  };
}
