import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface Listening {
  readonly url: string;
  /** Accepts nothing more. Ends all connections when `ended` is, or the time is over. */
  close(ended: Promise<unknown>, withinMs: number): Promise<void>;
}

/** Lets programs of this machine connect, and nobody else. */
export async function listenOnLoopback(server: Server, port: number): Promise<Listening> {
  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new Error(`Port ${port} is in use. Choose another one, or 0 for any free port.`, { cause: error });
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close(ended, withinMs) {
      const closed = once(server, "close");
      const end = (): void => server.closeAllConnections();
      server.close();
      const late = setTimeout(end, withinMs);
      void ended.finally(end);
      await closed;
      clearTimeout(late);
    },
  };
}
