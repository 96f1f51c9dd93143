import type { IncomingMessage } from "node:http";

const MAX_BYTES = 1_024;

/** The body of a request as text; undefined if it is longer than a token could be. */
export async function readSmallBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
