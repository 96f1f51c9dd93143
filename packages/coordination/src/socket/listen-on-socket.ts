import { rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { createFrames, toFrame } from "./frames.ts";
import { greetAsServer, SEAL_BYTES } from "./handshake.ts";
import { decodeDraft, type PeerMessage } from "./peer-message.ts";
import {
  assertStrong,
  closeToOthers,
  createSafeFolder,
  lookAtPath,
  removeToken,
  UnsafeSocketError,
  writeToken,
} from "./socket-path.ts";

export interface ListenOptions {
  /** In a folder that only this user can enter; it is made where there is none. */
  readonly path: string;
  /** Keeps the message, in the session's log for instance; the sender is told when this resolves. One at a time. */
  readonly onMessage: (message: PeerMessage) => void | Promise<void>;
  /** @default a random one, left beside the socket as `<path>.token` for those who can read it there */
  readonly token?: string;
  /** @default 262,144 */
  readonly maxMessageBytes?: number;
  /**
   * How long a peer may take from the first byte to the last.
   * @default 5,000
   */
  readonly deadlineMs?: number;
  /**
   * Beyond this the one is cut off that has waited longest without showing that it knows the token.
   * @default 64
   */
  readonly maxConnections?: number;
}

const DEFAULT_LISTEN: Required<Omit<ListenOptions, "path" | "onMessage" | "token">> = {
  maxMessageBytes: 262_144,
  deadlineMs: 5_000,
  maxConnections: 64,
};

export interface ListeningSocket {
  readonly path: string;
  readonly token: string;
  close(): Promise<void>;
}

export type ListenResult =
  | { readonly kind: "listening"; readonly socket: ListeningSocket }
  /** A process listens there. */
  | { readonly kind: "in-use" };

/**
 * Takes messages of other sessions of this user. Whoever connects has to show that it knows the token before anything it
 * says is read; everything it can make us hold is bounded, and what it does wrong ends its connection and nothing else.
 */
export async function listenOnSocket(options: ListenOptions): Promise<ListenResult> {
  const { path, onMessage, maxMessageBytes, deadlineMs, maxConnections } = { ...DEFAULT_LISTEN, ...options };
  createSafeFolder(path);
  if (options.token !== undefined) assertStrong(path, options.token);
  if ((await makeRoom(path)) === "in-use") return { kind: "in-use" };
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
    // What goes wrong with a connection comes out of the reading, and ends it.
    socket.on("error", () => {});
    channel(socket).catch(() => socket.destroy());
  });
  await listen(server, path);
  closeToOthers(path);
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

/** A process that was killed leaves its socket behind, on which nobody answers. */
async function makeRoom(path: string): Promise<"free" | "in-use"> {
  const found = lookAtPath(path);
  if (found === "absent") return "free";
  if (found === "other")
    throw new UnsafeSocketError(path, "something else stands there. Remove it, or choose another path.");
  if (await answers(path)) return "in-use";
  rmSync(path, { force: true });
  return "free";
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", (error) => resolve("code" in error && error.code === "EAGAIN"));
  });
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      // No file descriptor left for another connection, for instance: those that are there go on.
      server.on("error", () => {});
      resolve();
    });
  });
}
