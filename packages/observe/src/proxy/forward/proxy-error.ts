import type { ServerResponse } from "node:http";

/** An answer that is the proxy's own, and not the service's. */
export interface ProxyProblem {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/**
 * Answers in the form that clients of all three APIs read, with a header that says who answers. After the first byte of an answer the
 * connection is cut instead: the client must not take a part for the whole.
 */
export function answerProblem(response: ServerResponse, { status, code, message }: ProxyProblem): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const error = { type: "api_error", message: `palimpsest proxy: ${message}`, code, param: null };
  const body = JSON.stringify({ type: "error", error });
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  response.writeHead(status, { ...headers, "x-palimpsest-proxy": "error" }).end(body);
  // A connection that is closed with unread bytes loses its answer.
  response.req.unpipe();
  response.req.resume();
}
