import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { PROBLEMS, type Problem, problemBody } from "./problems.ts";
import type { Reply } from "./route.ts";

export type PlainReply = Exclude<Reply, { readonly kind: "events" }>;

export interface SendReplyOptions {
  readonly requestId: string;
  /** A client that reads nothing for so long is disconnected. */
  readonly stallMs: number;
}

/** Sends a reply that has an end. */
export async function sendReply(
  response: ServerResponse,
  reply: PlainReply,
  { requestId, stallMs }: SendReplyOptions,
): Promise<void> {
  response.setTimeout(stallMs, () => response.destroy());
  switch (reply.kind) {
    case "json": {
      const { status, body, location } = reply;
      return sendJson(response, status, body, location === undefined ? {} : { location });
    }
    case "empty":
      response.writeHead(reply.status).end();
      return;
    case "lines":
      return sendLines(response, reply);
    case "problem":
      return sendProblem(response, reply, requestId);
  }
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response
    .writeHead(status, { "content-type": "application/json", "content-length": bytes.length, ...headers })
    .end(bytes);
}

function sendProblem(response: ServerResponse, problem: Problem, requestId: string): void {
  const { code, retryAfterMs, headers } = problem;
  const retry: Record<string, string> =
    retryAfterMs === undefined ? {} : { "retry-after": String(Math.ceil(retryAfterMs / 1_000)) };
  sendJson(response, PROBLEMS[code].status, problemBody(problem, requestId), {
    "content-type": "application/problem+json",
    ...retry,
    ...headers,
  });
}

async function sendLines(response: ServerResponse, { lines, name }: Extract<Reply, { kind: "lines" }>): Promise<void> {
  response.writeHead(200, {
    "content-type": "application/x-ndjson",
    "content-disposition": `attachment; filename="${name}"`,
  });
  for await (const line of lines) {
    if (response.destroyed) return;
    if (!response.write(`${line}\n`)) await drained(response);
  }
  response.end();
}

/** Waits until the client has read enough, or is gone. */
export async function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed || !response.writableNeedDrain) return;
  const over = new AbortController();
  try {
    await Promise.race([
      once(response, "drain", { signal: over.signal }),
      once(response, "close", { signal: over.signal }),
    ]);
  } finally {
    over.abort();
  }
}
