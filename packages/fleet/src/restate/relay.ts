import type { RunQueue } from "@palimpsest/coordination";
import type { ServeOptions, Serving, Work } from "../scheduler.ts";
import { serveQueue } from "../serve-queue.ts";
import type { RestateIngress } from "./restate-ingress.ts";

/** A wake that Restate did not take is sent again after this long. */
const SEND_AGAIN_AFTER_MS = 1_000;

/**
 * Sends sessions that are due to Restate. The run that sends a session is renewed until a worker takes it over: so a session is sent once
 * for each wake, and again if this process dies before. No more sessions wait in Restate than there are slots: the rest waits in the queue,
 * where each tenant has its turn.
 */
export function relayTo(ingress: RestateIngress, queue: RunQueue, options: ServeOptions): Serving {
  const send: Work = async ({ tenant, session, number, left }) => {
    try {
      await ingress.run({ tenant, session, from: number }, left);
    } catch (error) {
      // `left`: a worker has it, or this process goes.
      if (!left.aborted) {
        options.onError?.(error, { tenant, session });
        return { kind: "later", afterMs: SEND_AGAIN_AFTER_MS };
      }
    }
    return { kind: "left" };
  };
  return serveQueue(queue, send, options);
}
