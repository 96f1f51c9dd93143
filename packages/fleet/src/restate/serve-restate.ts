import type { ListenOptions } from "node:net";
import type { RunQueue } from "@palimpsest/coordination";
import { RetryableError } from "@restatedev/restate-sdk/node";
import { type Engine, relayTo } from "../relay.ts";
import { runSent } from "../run-sent.ts";
import { createRunningSessions } from "../running-sessions.ts";
import { DEFAULT_SERVE, type ServeOptions, type Serving, type Work } from "../scheduler.ts";
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

/** A worker that has no slot is asked again after this long, or another one instead. */
const ASK_AGAIN_AFTER_MS = 250;

/** Relays sessions that are due to Restate, and runs those that Restate sends. */
export function serveRestate(
  { queue, ingress, listen, identityKeys, name }: ServeRestateOptions,
  work: Work,
  options: ServeOptions,
): Serving {
  const { slots = DEFAULT_SERVE.slots, onError } = options;
  const running = createRunningSessions();
  const suspects = createSuspects(options);
  const draining = new AbortController();

  const run: RunPushed = (sent, over) => {
    const refusal = draining.signal.aborted ? "leaves" : running.size >= slots ? `runs ${slots} sessions already` : "";
    if (refusal !== "") throw new RetryableError(`The worker ${refusal}.`, { retryAfter: ASK_AGAIN_AFTER_MS });
    return running.start(sent, async (left) => {
      const leave = (): void => left.abort();
      over.addEventListener("abort", leave, { once: true });
      if (over.aborted) leave();
      try {
        await runSent(queue, sent, work, { ...options, left, suspects });
      } finally {
        over.removeEventListener("abort", leave);
      }
    });
  };

  const endpoint = listenForRestate({ object: sessionObject(name, run), listen, identityKeys, onError });
  const relay = relayTo(ingress, queue, options);
  return {
    get running() {
      return running.targets;
    },
    async drain(drain) {
      draining.abort();
      endpoint.refuse();
      await relay.drain({ withinMs: 0 });
      const drained = await running.drain(drain);
      await endpoint.close();
      return drained;
    },
  };
}
