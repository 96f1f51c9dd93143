import type { RunQueue } from "@palimpsest/coordination";
import { Context } from "@temporalio/activity";
import type { SentRun } from "../../relay.ts";
import { runSent } from "../../run-sent.ts";
import type { ServeOptions, Work } from "../../scheduler.ts";
import { createSuspects } from "../../suspects.ts";

export interface SessionActivities {
  runSession(sent: SentRun): Promise<void>;
}

const BEAT_EVERY_MS = 2_000;

/** For a worker of Temporal, whose `maxConcurrentActivityTaskExecutions` are the slots. */
export function sessionActivities(queue: RunQueue, work: Work, options: ServeOptions): SessionActivities {
  const suspects = createSuspects(options);
  return {
    async runSession(sent) {
      const context = Context.current();
      const left = new AbortController();
      // A heartbeat learns that the attempt is over, or that the worker is shut down.
      context.cancellationSignal.addEventListener("abort", () => left.abort(), { once: true });
      const beating = setInterval(() => context.heartbeat(), BEAT_EVERY_MS);
      try {
        await runSent(queue, sent, work, { ...options, left, suspects });
      } finally {
        clearInterval(beating);
      }
    },
  };
}
