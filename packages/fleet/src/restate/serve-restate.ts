import type { ListenOptions } from "node:net";
import type { RunQueue } from "@palimpsest/coordination";
import { RetryableError } from "@restatedev/restate-sdk/node";
import { runOnce } from "../run-once.ts";
import { createRunningSessions } from "../running-sessions.ts";
import { DEFAULT_SERVE, type ServeOptions, type Serving, type Work } from "../scheduler.ts";
import { tellSetAside } from "../tell-set-aside.ts";
import { relayTo } from "./relay.ts";
import { listenForRestate } from "./restate-endpoint.ts";
import type { RestateIngress } from "./restate-ingress.ts";
import { type RunSent, sessionObject } from "./session-object.ts";

export interface ServeRestateOptions {
  readonly queue: RunQueue;
  readonly ingress: RestateIngress;
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
  const draining = new AbortController();

  const run: RunSent = ({ tenant, session, from }, over) => {
    const refusal = draining.signal.aborted ? "leaves" : running.size >= slots ? `runs ${slots} sessions already` : "";
    if (refusal !== "") throw new RetryableError(`The worker ${refusal}.`, { retryAfter: ASK_AGAIN_AFTER_MS });
    return running.start({ tenant, session }, async (left) => {
      const leave = (): void => left.abort();
      over.addEventListener("abort", leave, { once: true });
      if (over.aborted) leave();
      try {
        const { runs, setAside } = await queue.takeOver({ tenant, session }, { from });
        await tellSetAside(setAside, options);
        // None: whoever sent this twice has had an answer.
        for (const taken of runs) await runOnce(taken, work, { ...options, left });
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
