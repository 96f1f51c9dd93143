import { connect, type Socket } from "node:net";
import { createFrames, UntrustedPeerError } from "./frames.ts";
import { greetAsClient, SEAL_BYTES } from "./handshake.ts";
import { decodeDraft, encodeDraft, type PeerDraft } from "./peer-message.ts";
import { assertSafePath, lookAtAddress, readToken, UnsafeSocketError } from "./socket-path.ts";
import { type SocketSystem, thisSocketSystem } from "./socket-system.ts";

/** The socket, the message, and the limits of sending it. */
export interface SendToSocketOptions {
  readonly path: string;
  readonly message: PeerDraft;
  /** @default the content of `<path>.token` */
  readonly token?: string;
  /** The time limit until the other session has stored the message. @default 10,000 */
  readonly timeoutMs?: number;
  /** The limit of the receiver: larger messages are cut off there. @default 262,144 */
  readonly maxMessageBytes?: number;
  /** @default that of this machine */
  readonly system?: SocketSystem;
}

/** Whether the other session took the message. */
export type SentToSocket =
  /** The other session has stored the message. */
  | { readonly kind: "taken" }
  /** The other session may have stored it: no answer came. Send it again under the same id. */
  | { readonly kind: "unknown"; readonly why: string }
  | {
      readonly kind: "failed";
      /**
       * `absent`: nobody listens. `unsafe`: others could listen there. `untrusted`: the listener does not know the token.
       * `refused`: the listener closed the connection; it has another token, or is overloaded. `not-kept`: try again later.
       */
      readonly because: "absent" | "unsafe" | "untrusted" | "refused" | "bad-message" | "too-large" | "not-kept";
      readonly why: string;
    };

const RECEIPT_BYTES = 16;

/** Sends one message to a session that listens on a socket. Failures are outcomes, not errors. */
export async function sendToSocket(options: SendToSocketOptions): Promise<SentToSocket> {
  const { path, message, timeoutMs = 10_000, maxMessageBytes = 262_144, system = thisSocketSystem() } = options;
  const address = system.addressOf(path);
  const bytes = encodeDraft(message);
  if (decodeDraft(bytes) === undefined)
    return failed(
      "bad-message",
      "An id, a name and a well-formed text are needed; ids and names without spaces and slashes.",
    );
  if (bytes.length > maxMessageBytes)
    return failed(
      "too-large",
      `The message takes ${bytes.length} bytes; the limit is ${maxMessageBytes}. Send where it is.`,
    );
  let token: string | undefined;
  try {
    if (system.kind === "file") {
      if (lookAtAddress(address) === "absent") return failed("absent", `There is no socket at ${path}.`);
      assertSafePath(address, system);
      if (lookAtAddress(address) === "other")
        return failed("unsafe", `What stands at ${address} is no socket of this user.`);
    }
    token = options.token ?? readToken(path, system);
    // A pipe cannot be looked for, and its token is removed with it.
    if (token === undefined && system.kind === "pipe") return failed("absent", `Nobody listens on ${path}.`);
    assertSafePath(path, system);
  } catch (error) {
    if (UnsafeSocketError.isInstance(error)) return failed("unsafe", error.message);
    return failed("absent", String(error));
  }
  if (token === undefined) return failed("refused", `There is no token beside ${path}.`);

  const socket = connect(address);
  const deadline = setTimeout(() => socket.destroy(), timeoutMs);
  let stage: "connecting" | "greeting" | "sent" = "connecting";
  try {
    await connected(socket);
    stage = "greeting";
    const frames = createFrames(socket);
    const { seal, open } = await greetAsClient(frames, token);
    stage = "sent";
    frames.write(seal("client", bytes));
    const receipt = open("server", await frames.read(RECEIPT_BYTES + SEAL_BYTES)).toString();
    if (receipt === "taken") return { kind: "taken" };
    return receipt === "no-message"
      ? failed("bad-message", `The session at ${path} did not take it for a message.`)
      : failed("not-kept", `The session at ${path} could not keep it. Send it again later.`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    if (stage === "connecting") return failed("absent", `Nobody listens on ${path} (${why}).`);
    if (stage === "sent") return { kind: "unknown", why };
    return failed(error instanceof UntrustedPeerError ? "untrusted" : "refused", why);
  } finally {
    clearTimeout(deadline);
    socket.destroy();
  }
}

function connected(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    // Later errors surface while reading.
    socket.on("error", reject);
    socket.once("close", () => reject(new Error("the time is over")));
    socket.once("connect", resolve);
  });
}

function failed(because: Extract<SentToSocket, { kind: "failed" }>["because"], why: string): SentToSocket {
  return { kind: "failed", because, why };
}
