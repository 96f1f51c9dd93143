import type { RunQueue } from "@palimpsest/coordination";
import type { ServeOptions, Serving, SessionTarget, Work } from "./scheduler.ts";
import { serveQueue } from "./serve-queue.ts";
import { NO_SUSPECTS } from "./suspects.ts";

/** A session that is to run, and the run that sends it. */
export interface SentRun extends SessionTarget {
  readonly from: number;
}

/** Another engine, which decides by itself who runs a session. */
export interface Engine {
  /**
   * Has a session run, and waits for the end of that, until the signal is aborted. The session runs also if nobody waits any more. Rejects
   * if the engine has not taken it.
   */
  run(sent: SentRun, signal: AbortSignal): Promise<void>;
}

/** What an engine did not take is sent again after this long. */
const SEND_AGAIN_AFTER_MS = 1_000;
/** What no worker has taken by then may be with one that stands still, which no engine notices for long. It is sent again. */
const TAKEN_WITHIN_MS = 15_000;

/**
 * Sends sessions that are due to another engine. The run that sends a session is renewed until a worker takes it over: so a session is sent
 * once for each wake, and again if this process dies before. No more sessions wait in the engine than there are slots: the rest waits in the
 * queue, where each tenant has its turn.
 */
export function relayTo(engine: Engine, queue: RunQueue, options: ServeOptions): Serving {
  const send: Work = async ({ tenant, session, number, left }) => {
    const late = AbortSignal.timeout(TAKEN_WITHIN_MS);
    try {
      await engine.run({ tenant, session, from: number }, AbortSignal.any([left, late]));
    } catch (error) {
      // `left`: a worker has it, or this process goes.
      if (!left.aborted && !late.aborted) {
        options.onError?.(error, { tenant, session });
        return { kind: "later", afterMs: SEND_AGAIN_AFTER_MS };
      }
    }
    return { kind: "left" };
  };
  const toSend: RunQueue = { ...queue, take: (take) => queue.take({ ...take, to: "send" }) };
  return serveQueue(toSend, send, options, NO_SUSPECTS);
}
