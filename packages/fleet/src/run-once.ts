import type { Run } from "@palimpsest/coordination";
import { messageOf } from "palimpsest";
import { DEFAULT_SERVE, defaultRetryAfterMs, type ServeOptions, type Work } from "./scheduler.ts";

export interface RunOnceOptions extends ServeOptions {
  /** Aborted when the worker is to leave the run, and by the run itself when it is lost. */
  readonly left: AbortController;
  /** Called whenever the queue has answered. @default none */
  readonly onHeard?: () => void;
}

/** What became of a run. `unknown`: the queue could not be told; it will find out by itself. */
export type RunOutcome = Awaited<ReturnType<Run["finish"]>> | "waiting" | "unknown";

/** Runs a session that was taken, renews the run meanwhile, and tells the queue how it ended. */
export async function runOnce(run: Run, work: Work, options: RunOnceOptions): Promise<RunOutcome> {
  const { left, onError, retryAfterMs = defaultRetryAfterMs } = options;
  const listeners = new Set<() => void>();
  const renewing = keepRenewing(run, listeners, options);
  const { tenant, session, number, attempt, reminders } = run;
  try {
    const outcome = await work({
      tenant,
      session,
      number,
      attempt,
      reminders,
      left: left.signal,
      async isHeld() {
        await renewing.renewIfLate();
        return !left.signal.aborted;
      },
      onWoken(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    });
    if (outcome.kind === "later") return await run.release(outcome);
    return await (outcome.kind === "ended" ? run.finish() : run.release());
  } catch (error) {
    onError?.(error, run);
    // A worker that is being stopped may fail in many ways: that does not count against the session.
    const told = left.signal.aborted
      ? run.release()
      : run.fail({ why: messageOf(error), retryAfterMs: retryAfterMs(attempt) });
    return await told.catch((reason: unknown): "unknown" => {
      onError?.(reason, run);
      return "unknown";
    });
  } finally {
    renewing.stop();
  }
}

function keepRenewing(
  run: Run,
  listeners: ReadonlySet<() => void>,
  { left, renewEveryMs = DEFAULT_SERVE.renewEveryMs, onError, onHeard }: RunOnceOptions,
) {
  let renewing: Promise<void> | undefined;
  let heldAtMs = performance.now();
  const ask = async (): Promise<void> => {
    const askedAtMs = performance.now();
    try {
      const renewed = await run.renew();
      onHeard?.();
      if (renewed === "lost") left.abort();
      else heldAtMs = askedAtMs;
      if (renewed === "woken") for (const listener of listeners) listener();
    } catch (error) {
      // What could not be asked is not lost: whoever takes the session over makes it so.
      onError?.(error, run);
    } finally {
      renewing = undefined;
    }
  };
  const renew = (): Promise<void> => {
    renewing ??= ask();
    return renewing;
  };
  const timer = setInterval(() => void renew(), renewEveryMs);
  return {
    stop: () => clearInterval(timer),
    renewIfLate: async () => {
      if (performance.now() - heldAtMs > 2 * renewEveryMs) await renew();
    },
  };
}
