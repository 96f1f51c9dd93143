import { handlers, type ObjectSharedContext, object, type VirtualObjectDefinition } from "@restatedev/restate-sdk/node";
import type { SentRun } from "../relay.ts";

/** Runs a session. @param left aborted when the connection to Restate is gone, and with it the right to the session */
export type RunPushed = (sent: SentRun, left: AbortSignal) => Promise<void>;

/**
 * A session as a virtual object of Restate. It keeps no state and no journal, because the session's log has both. A handler that runs again
 * finds there how far the session has come. The handler is shared: an exclusive one would wait for a worker that stands still, for as long
 * as that does. Which run has the session, the queue decides, and the log.
 */
export function sessionObject(name: string, run: RunPushed): VirtualObjectDefinition<string, unknown> {
  return object({
    name,
    handlers: {
      run: handlers.object.shared(async (context: ObjectSharedContext, sent: SentRun) =>
        run(sent, context.request().attemptCompletedSignal),
      ),
    },
    options: {
      // A model that thinks says nothing for minutes, and Restate hears nothing but the end of a run: by default it ends runs after 11 minutes.
      inactivityTimeout: { days: 1 },
      abortTimeout: { hours: 1 },
      journalRetention: 0,
      // The queue counts attempts and sets sessions aside. An invocation that Restate pauses would block its session for good.
      retryPolicy: {
        initialInterval: 50,
        exponentiationFactor: 2,
        maxInterval: { seconds: 2 },
        maxAttempts: 1_000_000,
        onMaxAttempts: "kill",
      },
    },
  });
}
