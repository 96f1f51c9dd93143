import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";

export type RequestListener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

export interface ListeningServer {
  readonly port: number;
  close(): Promise<void>;
}

/** A client of HTTP/2 without TLS begins with this. */
const PREFACE = "PRI";

/** Longer than a slow test: a connection that is closed at the moment of its next request looks like a fault of the service. */
const KEEP_ALIVE_MS = 600_000;

/**
 * Listens for HTTP/1.1 and HTTP/2 on one port, without TLS: the client of Bedrock speaks HTTP/2 unless it is told otherwise. The first
 * bytes of a connection tell which one it is.
 */
export async function listenBoth(
  listener: RequestListener,
  { port, host }: { readonly port: number; readonly host: string },
): Promise<ListeningServer> {
  const first = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, listener);
  // The requests and responses of both have what a listener uses.
  const second = createHttp2Server(listener as unknown as Parameters<typeof createHttp2Server>[1]);
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    // Whoever leaves before the first byte has asked for nothing.
    socket.on("error", () => {});
    socket.once("readable", () => {
      const chunk: Buffer | null = socket.read();
      if (chunk === null) return;
      socket.unshift(chunk);
      const isSecond = chunk.subarray(0, PREFACE.length).toString("latin1") === PREFACE;
      (isSecond ? second : first).emit("connection", socket);
    });
  });
  server.listen(port, host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      // Servers that do not listen themselves know nothing of their connections.
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
