/** Small pieces are collected up to this size, to avoid many small writes. Most outputs need less. */
const FIRST_PIECE_BYTES = 65_536;
const PIECE_BYTES = 1_048_576;

/**
 * Converts a stream to UTF-8 in pieces of a good size. A piece is valid only until the next one is requested. A
 * surrogate pair that was split over two strings becomes one character again.
 */
export async function* toBytes(
  chunks: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let gathered = new Uint8Array(FIRST_PIECE_BYTES);
  let used = 0;
  let half = "";
  for await (const chunk of chunks) {
    const { ready, rest } = typeof chunk === "string" ? splitHalf(half + chunk) : { ready: half, rest: "" };
    half = rest;
    const text = encoder.encode(ready);
    for (const bytes of typeof chunk === "string" ? [text] : [text, chunk]) {
      if (used + bytes.length > gathered.length) {
        if (used > 0) yield gathered.subarray(0, used);
        if (gathered.length < PIECE_BYTES) gathered = new Uint8Array(PIECE_BYTES);
        used = 0;
      }
      if (bytes.length > gathered.length) {
        yield bytes;
      } else {
        gathered.set(bytes, used);
        used += bytes.length;
      }
    }
  }
  if (used > 0) yield gathered.subarray(0, used);
  if (half !== "") yield encoder.encode(half);
}

/** Holds back the first half of a surrogate pair at the end until the second half arrives. */
function splitHalf(text: string): { readonly ready: string; readonly rest: string } {
  const last = text.charCodeAt(text.length - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return isHalf ? { ready: text.slice(0, -1), rest: text.slice(-1) } : { ready: text, rest: "" };
}
