import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { type Frames, UntrustedPeerError } from "./frames.ts";

/**
 * A mutual proof of the token that never sends it: each proof covers one random number of each side and the side itself, so
 * nothing can be replayed. All following frames are authenticated with a key of this connection, so a relay between two peers
 * cannot add its own messages.
 */
export interface SecureChannel {
  seal(side: "client" | "server", content: Uint8Array): Buffer;
  /** Returns the content, if that side sealed it. */
  open(side: "client" | "server", sealed: Buffer): Buffer;
}

/** Distinguishes this protocol from others, and from later versions. */
const GREETING = Buffer.from("palimpsest 1\n");
const NONCE_BYTES = 32;
const PROOF_BYTES = 32;
export const SEAL_BYTES: number = PROOF_BYTES;

export async function greetAsServer(frames: Frames, token: string): Promise<SecureChannel> {
  const serverNonce = randomBytes(NONCE_BYTES);
  frames.write(GREETING, serverNonce);
  const answer = await frames.read(NONCE_BYTES + PROOF_BYTES);
  const nonces = Buffer.concat([serverNonce, answer.subarray(0, NONCE_BYTES)]);
  expectEqual(answer.subarray(NONCE_BYTES), prove(token, "client", nonces), "the peer does not know the token");
  frames.write(prove(token, "server", nonces));
  return createChannel(prove(token, "key", nonces));
}

export async function greetAsClient(frames: Frames, token: string): Promise<SecureChannel> {
  const greeting = await frames.read(GREETING.length + NONCE_BYTES);
  expectEqual(greeting.subarray(0, GREETING.length), GREETING, "whoever listens there speaks another protocol");
  const clientNonce = randomBytes(NONCE_BYTES);
  const nonces = Buffer.concat([greeting.subarray(GREETING.length), clientNonce]);
  if (nonces.length !== 2 * NONCE_BYTES) throw new UntrustedPeerError("the greeting is too short");
  frames.write(clientNonce, prove(token, "client", nonces));
  const proof = await frames.read(PROOF_BYTES);
  expectEqual(proof, prove(token, "server", nonces), "whoever listens there does not know the token");
  return createChannel(prove(token, "key", nonces));
}

function createChannel(key: Buffer): SecureChannel {
  return {
    seal: (side, content) => Buffer.concat([prove(key, side, content), content]),
    open(side, sealed) {
      const content = sealed.subarray(SEAL_BYTES);
      expectEqual(sealed.subarray(0, SEAL_BYTES), prove(key, side, content), "what came was not sealed in this talk");
      return content;
    },
  };
}

/** The length of each part is fixed or given by the frame, so two different inputs never have the same bytes. */
function prove(key: string | Buffer, purpose: "client" | "server" | "key", content: Uint8Array): Buffer {
  return createHmac("sha256", key).update(`palimpsest ${purpose}\n`).update(content).digest();
}

function expectEqual(found: Buffer, expected: Buffer, otherwise: string): void {
  if (found.length !== expected.length || !timingSafeEqual(found, expected)) throw new UntrustedPeerError(otherwise);
}
