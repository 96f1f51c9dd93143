import { rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { createFrames, toFrame } from "./frames.ts";
import { greetAsServer, SEAL_BYTES } from "./handshake.ts";
import { decodeDraft, type PeerMessage } from "./peer-message.ts";
import {
  assertStrong,
  closeToOthers,
  createSafeFolders,
  lookAtAddress,
  removeToken,
  UnsafeSocketError,
  writeToken,
} from "./socket-path.ts";
import { type SocketSystem, thisSocketSystem } from "./socket-system.ts";

/** The socket's path, and what receives its messages. */
export interface ListenOptions {
  /** A path in a folder that only this user can enter; the folder is created if it is missing. */
  readonly path: string;
  /** Stores the message, for example in the session's log; the sender is notified when this resolves. One at a time. */
  readonly onMessage: (message: PeerMessage) => void | Promise<void>;
  /** @default a random one, left beside the socket as `<path>.token` for those who can read it there */
  readonly token?: string;
  /** @default 262,144 */
  readonly maxMessageBytes?: number;
  /** The time limit of a peer from the first byte to the last. @default 5,000 */
  readonly deadlineMs?: number;
  /** Beyond this, the unauthenticated connection that has waited longest is closed. @default 64 */
  readonly maxConnections?: number;
  /** @default that of this machine */
  readonly system?: SocketSystem;
}

const DEFAULT_LISTEN: Required<Omit<ListenOptions, "path" | "onMessage" | "token" | "system">> = {
  maxMessageBytes: 262_144,
  deadlineMs: 5_000,
  maxConnections: 64,
};

/** An open socket. Senders need its token. */
export interface ListeningSocket {
  readonly path: string;
  readonly token: string;
  close(): Promise<void>;
}

/** The open socket, or the news that another process listens there. */
export type ListenResult =
  | { readonly kind: "listening"; readonly socket: ListeningSocket }
  /** Another process listens there. */
  | { readonly kind: "in-use" };

/**
 * Receives messages from other sessions of this user. A peer must prove that it knows the token before its message is read. All
 * resources that a peer can use are bounded, and its errors only end its own connection.
 */
export async function listenOnSocket(options: ListenOptions): Promise<ListenResult> {
  const { path, onMessage, maxMessageBytes, deadlineMs, maxConnections } = { ...DEFAULT_LISTEN, ...options };
  const { system = thisSocketSystem() } = options;
  const address = system.addressOf(path);
  createSafeFolders(path, system);
  if (options.token !== undefined) assertStrong(path, options.token);
  if ((await makeRoom(address, system)) === "in-use") return { kind: "in-use" };
  const token = options.token ?? writeToken(path);

  const connections = new Map<Socket, "unproven" | "proven">();
  let last: Promise<unknown> = Promise.resolve();
  const keep = (message: PeerMessage): Promise<"taken" | "not-kept"> => {
    const kept = last.then(async () => {
      try {
        await onMessage(message);
        return "taken";
      } catch {
        return "not-kept";
      }
    });
    last = kept;
    return kept;
  };
  const channel = async (socket: Socket): Promise<void> => {
    const deadline = setTimeout(() => socket.destroy(), deadlineMs);
    try {
      const frames = createFrames(socket);
      const { open, seal } = await greetAsServer(frames, token);
      connections.set(socket, "proven");
      const message = decodeDraft(open("client", await frames.read(maxMessageBytes + SEAL_BYTES)));
      clearTimeout(deadline);
      const receipt = message === undefined ? "no-message" : await keep(message);
      socket.end(toFrame(seal("server", Buffer.from(receipt))));
    } finally {
      clearTimeout(deadline);
    }
  };
  const server = createServer((socket) => {
    if (connections.size >= maxConnections) {
      const [oldest] = [...connections].find(([, state]) => state === "unproven") ?? [];
      (oldest ?? socket).destroy();
      if (oldest === undefined) return;
      // Not only when it is closed: a flood comes within one moment.
      connections.delete(oldest);
    }
    connections.set(socket, "unproven");
    socket.on("close", () => connections.delete(socket));
    // Errors of a connection surface while reading, and end it.
    socket.on("error", () => {});
    channel(socket).catch(() => socket.destroy());
  });
  await listen(server, address);
  if (system.kind === "file") closeToOthers(address);
  return {
    kind: "listening",
    socket: {
      path,
      token,
      async close() {
        if (!server.listening) return;
        const closed = new Promise((resolve) => server.close(resolve));
        for (const socket of connections.keys()) socket.destroy();
        if (options.token === undefined) removeToken(path);
        await closed;
      },
    },
  };
}

/** A killed process leaves the file of its socket behind, and nobody answers there. */
async function makeRoom(address: string, { kind }: SocketSystem): Promise<"free" | "in-use"> {
  if (kind === "pipe") return (await answers(address)) ? "in-use" : "free";
  const found = lookAtAddress(address);
  if (found === "absent") return "free";
  if (found === "other")
    throw new UnsafeSocketError(address, "something else stands there. Remove it, or choose another path.");
  if (await answers(address)) return "in-use";
  rmSync(address, { force: true });
  return "free";
}

function answers(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", (error) => resolve("code" in error && error.code === "EAGAIN"));
  });
}

function listen(server: Server, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(address, () => {
      server.off("error", reject);
      // For example, no file descriptor is left for another connection: the existing ones continue.
      server.on("error", () => {});
      resolve();
    });
  });
}
