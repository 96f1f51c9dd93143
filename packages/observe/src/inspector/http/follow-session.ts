import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { IndexedSession } from "../open-sessions.ts";

export interface FollowOptions {
  /** The newest entry that the page knows; 0 if it knows none. */
  readonly after: number;
  /** How often the log is looked at: it belongs to another process. @default 300 */
  readonly everyMs?: number;
  readonly signal: AbortSignal;
}

/** After so many looks without news, a comment shows that the stream is alive. */
const QUIET_LOOKS = 50;

/**
 * Sends what is new in a session, until the page is gone. The id of each event is the newest entry: a page that was cut off gives
 * it back (`Last-Event-ID`), and gets what it has missed.
 */
export async function followSession(
  response: ServerResponse,
  { index }: Pick<IndexedSession, "index">,
  { after, everyMs = 300, signal }: FollowOptions,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write("retry: 1000\n\n");
  let sent = after;
  let quiet = 0;
  while (!signal.aborted && !response.destroyed) {
    const { head } = await index.update({ signal });
    if (head.sequence > sent) {
      const data = {
        totals: index.totals(),
        points: index.timeline({ from: sent + 1 }),
        events: index.events({ from: sent + 1 }).events,
      };
      response.write(`id: ${head.sequence}\nevent: grown\ndata: ${JSON.stringify(data)}\n\n`);
      sent = head.sequence;
      quiet = 0;
    } else if (++quiet % QUIET_LOOKS === 0) {
      response.write(": still here\n\n");
    }
    await sleep(everyMs, undefined, { signal }).catch(() => {});
  }
  response.end();
}
