import type { ListenOptions } from "node:net";
import type { RunQueue } from "@palimpsest/coordination";
import { RetryableError } from "@restatedev/restate-sdk/node";
import { type Engine, relayTo } from "../relay.ts";
import { runSent } from "../run-sent.ts";
import { createRunningSessions } from "../running-sessions.ts";
import { DEFAULT_SERVE, type ServeOptions, type Serving, type Work } from "../scheduler.ts";
import { createSlots } from "../slots.ts";
import { createSuspects } from "../suspects.ts";
import { listenForRestate } from "./restate-endpoint.ts";
import { type RunPushed, sessionObject } from "./session-object.ts";

export interface ServeRestateOptions {
  readonly queue: RunQueue;
  readonly ingress: Engine;
  readonly listen: ListenOptions;
  readonly identityKeys: readonly string[];
  readonly name: string;
}

/**
 * A run waits here for a slot, because a slot that becomes free is known here at once, and the run that was sent first is next. After a
 * while another worker may have one.
 */
const WAIT_FOR_SLOT_MS = 2_000;
const ASK_ANOTHER_AFTER_MS = 50;
/** A worker that does not reach the queue refuses for so long what Restate, which reaches it, would send it again and again. */
const CUT_OFF_MS = 3_000;

/** Relays sessions that are due to Restate, and runs those that Restate sends. */
export function serveRestate(
  { queue, ingress, listen, identityKeys, name }: ServeRestateOptions,
  work: Work,
  options: ServeOptions,
): Serving {
  const { slots = DEFAULT_SERVE.slots, onError } = options;
  const running = createRunningSessions();
  const free = createSlots(slots);
  const suspects = createSuspects(options);
  const draining = new AbortController();

  let cutOffUntilMs = 0;

  const run: RunPushed = async (sent, over) => {
    if (performance.now() < cutOffUntilMs)
      throw new RetryableError("The worker does not reach the queue.", { retryAfter: ASK_ANOTHER_AFTER_MS });
    if ((await free.take({ order: sent.from, withinMs: WAIT_FOR_SLOT_MS })) === "full") {
      const why = draining.signal.aborted ? "leaves" : `runs ${slots} sessions already`;
      throw new RetryableError(`The worker ${why}.`, { retryAfter: ASK_ANOTHER_AFTER_MS });
    }
    // Restate has sent it to another worker meanwhile: to take it over would take it from that one.
    if (over.aborted) return free.free();
    await running
      .start(sent, async (left) => {
        const leave = (): void => left.abort();
        over.addEventListener("abort", leave, { once: true });
        if (over.aborted) leave();
        try {
          await runSent(queue, sent, work, { ...options, left, suspects, onSilent });
        } finally {
          over.removeEventListener("abort", leave);
        }
      })
      .finally(free.free);
  };

  function onSilent(): void {
    cutOffUntilMs = performance.now() + CUT_OFF_MS;
    onError?.(new Error(`The queue does not answer. Runs are left to other workers for ${CUT_OFF_MS} ms.`));
  }

  const endpoint = listenForRestate({ object: sessionObject(name, run), listen, identityKeys, onError });
  const relay = relayTo(ingress, queue, options);
  return {
    get running() {
      return running.targets;
    },
    async drain(drain) {
      draining.abort();
      free.close();
      endpoint.refuse();
      const drained = await running.drain(drain, relay.drain({ withinMs: 0 }));
      await endpoint.close();
      return drained;
    },
  };
}
