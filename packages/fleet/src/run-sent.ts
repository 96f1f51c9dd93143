import type { RunQueue } from "@palimpsest/coordination";
import type { SentRun } from "./relay.ts";
import { type RunOnceOptions, runOnce } from "./run-once.ts";
import { DEFAULT_SERVE, type Work } from "./scheduler.ts";
import { watchSilence } from "./silence.ts";
import type { Suspects } from "./suspects.ts";
import { tellSetAside } from "./tell-set-aside.ts";

export interface RunSentOptions extends RunOnceOptions {
  /** Those of this worker. */
  readonly suspects: Suspects;
  /** Called when the queue has been silent for too long. @default none */
  readonly onSilent?: () => void;
}

/** A worker that hears nothing of the queue for so many renewals counts as gone there. */
const SILENT_RENEWALS = 7;

/**
 * Runs a session that another engine has given to this worker: takes it over from whoever has it, and ends its run in the queue. Rejects if
 * the queue is silent: this worker may be the only one that is cut off from it, and the engine, which is not, is to try another one.
 */
export async function runSent(queue: RunQueue, sent: SentRun, work: Work, options: RunSentOptions): Promise<void> {
  const { left, renewEveryMs = DEFAULT_SERVE.renewEveryMs } = options;
  const limitMs = SILENT_RENEWALS * renewEveryMs;
  const silence = watchSilence(limitMs, `The queue has not answered for ${limitMs} ms: another worker is to run it.`);
  const run = async (): Promise<void> => {
    const { runs, setAside } = await queue.takeOver(sent, sent);
    if (silence.state === "silent") {
      await Promise.all(runs.map((late) => late.release()));
      return;
    }
    silence.heard();
    const { suspects } = options;
    await tellSetAside(setAside, options);
    // None: it was sent again, and runs or has run by that.
    for (const each of await suspects.admit(runs))
      await runOnce(each, work, { ...options, onHeard: silence.heard }).finally(() => suspects.end(each));
  };
  try {
    await Promise.race([run(), silence.begins]);
  } finally {
    if (silence.state === "silent") {
      left.abort();
      options.onSilent?.();
    }
    silence.stop();
  }
}
