import { brotliDecompressSync, constants, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";

/** A larger body is not looked at: a few kilobytes may unpack to any size. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Unpacks a body by its `content-encoding`, as far as it arrived. Undefined: an unknown encoding, or not this one. */
export function decodeBody(body: Buffer, encoding: string | undefined): Buffer | undefined {
  try {
    switch (encoding?.trim().toLowerCase() || "identity") {
      case "identity":
        return body;
      case "gzip":
      case "x-gzip":
        return gunzipSync(body, { maxOutputLength: MAX_BYTES, finishFlush: constants.Z_SYNC_FLUSH });
      case "deflate":
        return inflateSync(body, { maxOutputLength: MAX_BYTES, finishFlush: constants.Z_SYNC_FLUSH });
      case "br":
        return brotliDecompressSync(body, {
          maxOutputLength: MAX_BYTES,
          finishFlush: constants.BROTLI_OPERATION_FLUSH,
        });
      case "zstd":
        return zstdDecompressSync(body, { maxOutputLength: MAX_BYTES, finishFlush: constants.ZSTD_e_flush });
      default:
        return undefined;
    }
  } catch {
    return undefined;
  }
}
