import { setTimeout as wait } from "node:timers/promises";
import type { Run, RunQueue, TakenRuns } from "@palimpsest/coordination";
import { runOnce } from "./run-once.ts";
import { createRunningSessions } from "./running-sessions.ts";
import { DEFAULT_SERVE, type ServeOptions, type Serving, type Work } from "./scheduler.ts";
import { createSuspects, type Suspects } from "./suspects.ts";
import { tellSetAside } from "./tell-set-aside.ts";

const NONE: TakenRuns = { runs: [], setAside: [] };
/** A database that is away is asked again after this long. */
const RETRY_TAKING_MS = 1_000;

/** Takes sessions that are due and runs them, as many at a time as there are slots. */
export function serveQueue(
  queue: RunQueue,
  work: Work,
  options: ServeOptions,
  suspects: Suspects = createSuspects(options),
): Serving {
  const { slots = DEFAULT_SERVE.slots, onError } = options;
  const running = createRunningSessions();
  const draining = new AbortController();
  // Aborted when it is worth looking again at once: a slot is free, or a session runs again.
  let again = new AbortController();

  function start(run: Run): void {
    void running
      .start(run, (left) => runOnce(run, work, { ...options, left }))
      .then((outcome) => {
        suspects.end(run);
        if (outcome === "woken" || running.size === slots - 1) again.abort();
      });
  }

  async function take(limit: number): Promise<TakenRuns> {
    try {
      return await queue.take({ limit });
    } catch (error) {
      onError?.(error);
      await wait(RETRY_TAKING_MS, undefined, { signal: draining.signal }).catch(() => undefined);
      return NONE;
    }
  }

  async function pull(): Promise<void> {
    while (!draining.signal.aborted) {
      again = new AbortController();
      const limit = slots - running.size;
      const { runs, setAside } = limit > 0 ? await take(limit) : NONE;
      await tellSetAside(setAside, options);
      if (draining.signal.aborted) {
        await Promise.all(runs.map((run) => run.release().catch((error) => onError?.(error, run))));
        return;
      }
      for (const run of await suspects.admit(runs)) start(run);
      if (runs.length > 0 && running.size < slots) continue;
      await waitForMore(AbortSignal.any([draining.signal, again.signal]));
    }
  }

  async function waitForMore(signal: AbortSignal): Promise<void> {
    if (running.size < slots) return queue.wait({ signal });
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  }

  const pulling = pull();
  return {
    get running() {
      return running.targets;
    },
    drain(options) {
      draining.abort();
      return running.drain(options, pulling);
    },
  };
}
