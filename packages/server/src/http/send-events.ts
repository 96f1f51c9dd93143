import type { ServerResponse } from "node:http";
import type { ServerEvent } from "./route.ts";
import { drained } from "./send-reply.ts";

export interface SendEventsOptions {
  /** How often a comment is sent, so that proxies keep the connection. */
  readonly everyMs: number;
  /** A client that reads nothing for so long is disconnected. */
  readonly stallMs: number;
  /** Looked at with each comment: why the stream must end, if it must. */
  mustEnd(): Promise<Closing | undefined>;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
}

/** The last event of a stream that the server ends. */
export interface Closing {
  readonly reason: "server-stopping" | "token-revoked";
  readonly advice: string;
}

const STOPPING: Closing = {
  reason: "server-stopping",
  advice: "Connect again at once, with the id of the last event as Last-Event-ID: another server continues.",
};

/** Sends events until the client is gone or the server stops. @param end ends `events` */
export async function sendEvents(
  response: ServerResponse,
  events: AsyncIterable<ServerEvent>,
  end: AbortController,
  { everyMs, stallMs, mustEnd, stopping }: SendEventsOptions,
): Promise<void> {
  response.writeHead(200, {
    "content-type": "text/event-stream",
    // Proxies that collect replies would hold events back.
    "x-accel-buffering": "no",
  });
  // The client waits so long before it connects again.
  response.write("retry: 1000\n\n");
  let closing: Closing | undefined;
  let blockedMs = 0;
  const stop = (why: Closing): void => {
    closing ??= why;
    end.abort();
  };
  const onStopping = (): void => stop(STOPPING);
  const timer = setInterval(async () => {
    blockedMs = response.writableNeedDrain ? blockedMs + everyMs : 0;
    if (blockedMs >= stallMs) return void response.destroy();
    if (blockedMs > 0) return;
    response.write(": still here\n\n");
    // If it cannot be found out now, it is looked at again with the next comment.
    const why = await mustEnd().catch(() => undefined);
    if (why !== undefined) stop(why);
  }, everyMs);
  stopping.addEventListener("abort", onStopping);
  if (stopping.aborted) onStopping();
  try {
    for await (const event of events) {
      if (response.destroyed) return;
      response.write(eventText(event));
      await drained(response);
    }
    if (closing !== undefined)
      response.write(eventText({ name: "closing", data: { kind: "closing", ...(closing as Closing) } }));
  } finally {
    clearInterval(timer);
    stopping.removeEventListener("abort", onStopping);
    response.end();
  }
}

/** JSON has no line breaks, so that data is one line. */
function eventText({ id, name, data }: ServerEvent): string {
  const head = id === undefined ? "" : `id: ${id}\n`;
  return `${head}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
