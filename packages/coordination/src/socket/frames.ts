import type { Socket } from "node:net";

/** The peer broke the protocol or disconnected. The connection is no longer usable. */
class BrokenChannelError extends Error {}

/** The peer does not know the token. */
export class UntrustedPeerError extends BrokenChannelError {}

/** The frames of a socket: four bytes of length, then that many bytes. */
export interface Frames {
  /** Reads one frame at a time. A length over the limit ends the connection before any content is stored. */
  read(maxBytes: number): Promise<Buffer>;
  write(...parts: readonly Uint8Array[]): void;
}

const LENGTH_BYTES = 4;

export function createFrames(socket: Socket): Frames {
  // The next chunk is requested only when it is needed: further data of a peer stays with the system.
  const chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let rest: Buffer = Buffer.alloc(0);
  const readBytes = async (count: number): Promise<Buffer> => {
    const parts = [rest];
    for (let length = rest.length; length < count; ) {
      const next = await chunks.next().catch((error: Error) => {
        throw new BrokenChannelError(error.message, { cause: error });
      });
      if (next.done)
        throw new BrokenChannelError(`the connection ended within a frame: ${length} of ${count} bytes came`);
      parts.push(next.value);
      length += next.value.length;
    }
    const bytes = Buffer.concat(parts);
    rest = bytes.subarray(count);
    return bytes.subarray(0, count);
  };
  return {
    async read(maxBytes) {
      const length = (await readBytes(LENGTH_BYTES)).readUInt32BE();
      if (length === 0 || length > maxBytes)
        throw new BrokenChannelError(`a frame of ${length} bytes was announced; 1 to ${maxBytes} are taken`);
      return readBytes(length);
    },
    write: (...parts) => void socket.write(toFrame(...parts)),
  };
}

export function toFrame(...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, content]);
}
