import type { Socket } from "node:net";

/** The other side did what no peer of ours does, or went away. The connection is of no use any more. */
class BrokenChannelError extends Error {}

/** The other side does not know what it should. */
export class UntrustedPeerError extends BrokenChannelError {}

/** What goes over a socket: four bytes of length, then so many bytes. */
export interface Frames {
  /** A length over the limit ends it before a byte of the content is kept. One at a time. */
  read(maxBytes: number): Promise<Buffer>;
  write(...parts: readonly Uint8Array[]): void;
}

const LENGTH_BYTES = 4;

export function createFrames(socket: Socket): Frames {
  // The stream is asked for the next chunk only when it is needed: what a peer sends beyond that stays with the system.
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
