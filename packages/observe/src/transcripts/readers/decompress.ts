import { pipeline, Readable } from "node:stream";
import { createZstdDecompress } from "node:zlib";

const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/**
 * Decompresses bytes that begin like zstd (RFC 8878, section 3.1.1), whatever the file name; passes on other bytes
 * unchanged.
 */
export async function* decompress(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = bytes[Symbol.asyncIterator]();
  try {
    let head = Buffer.alloc(0);
    while (head.length < ZSTD_MAGIC.length) {
      const { done, value } = await chunks.next();
      if (done) break;
      head = Buffer.concat([head, value]);
    }
    const all = (async function* (): AsyncGenerator<Uint8Array> {
      yield head;
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
    })();
    const isCompressed = head.subarray(0, ZSTD_MAGIC.length).equals(ZSTD_MAGIC);
    // An error of either side ends the iteration with that error.
    yield* isCompressed ? pipeline(Readable.from(all), createZstdDecompress(), () => {}) : all;
  } finally {
    await chunks.return?.();
  }
}
