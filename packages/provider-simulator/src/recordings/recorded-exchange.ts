import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** A recorded exchange, as `palimpsest proxy --record` writes it into a file of JSON. Bodies are as they were on the wire. */
export interface RecordedExchange {
  readonly recording: 1;
  readonly upstream: string;
  readonly method: string;
  readonly path: string;
  readonly request: RecordedBody;
  readonly status: number;
  readonly responseHeaders: IncomingHttpHeaders;
  readonly response: RecordedBody;
  /** `cut`: the connection broke before the end. A replay breaks there, too. */
  readonly ended: "whole" | "cut";
}

/** A request of which a recording may have the answer. */
export interface RecordedRequest {
  readonly upstream: string;
  readonly method: string;
  /** With the query string; keys in it are left out. */
  readonly path: string;
  readonly body: Buffer;
}

/** As text if the bytes are text, so that people can read and search it. */
type RecordedBody = { readonly text: string } | { readonly base64: string };

export function toBytes(body: RecordedBody): Buffer {
  return "text" in body ? Buffer.from(body.text) : Buffer.from(body.base64, "base64");
}

/** Requests with the same key have the same answer. */
export function requestKey({ upstream, method, path, body }: RecordedRequest): string {
  return createHash("sha256")
    .update(JSON.stringify([upstream, method, path]))
    .update(body)
    .digest("hex");
}
