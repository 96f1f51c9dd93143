import { setTimeout as wait } from "node:timers/promises";
import type { Run, RunQueue, TakenRuns } from "@palimpsest/coordination";
import { runOnce } from "./run-once.ts";
import {
  DEFAULT_SERVE,
  type Drained,
  type ServeOptions,
  type Serving,
  type SessionTarget,
  type Work,
} from "./scheduler.ts";

interface Running {
  readonly target: SessionTarget;
  readonly left: AbortController;
  readonly done: Promise<void>;
}

const NONE: TakenRuns = { runs: [], setAside: [] };
/** A database that is away is asked again after this long. */
const RETRY_TAKING_MS = 1_000;

/** Takes sessions that are due and runs them, as many at a time as there are slots. */
export function serveQueue(queue: RunQueue, work: Work, options: ServeOptions): Serving {
  const { slots = DEFAULT_SERVE.slots, onError, onSetAside } = options;
  const running = new Set<Running>();
  const draining = new AbortController();
  // Aborted when it is worth looking again at once: a slot is free, or a session runs again.
  let again = new AbortController();

  function start(run: Run): void {
    const left = new AbortController();
    const { tenant, session } = run;
    const done = runOnce(run, work, { ...options, left }).then((outcome) => {
      running.delete(one);
      if (outcome === "woken" || running.size === slots - 1) again.abort();
    });
    const one: Running = { target: { tenant, session }, left, done };
    running.add(one);
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

  async function tellSetAside(target: SessionTarget): Promise<void> {
    try {
      await onSetAside?.(target);
    } catch (error) {
      onError?.(error, target);
    }
  }

  async function pull(): Promise<void> {
    while (!draining.signal.aborted) {
      again = new AbortController();
      const limit = slots - running.size;
      const { runs, setAside } = limit > 0 ? await take(limit) : NONE;
      if (draining.signal.aborted) {
        await Promise.all(runs.map((run) => run.release().catch((error) => onError?.(error, run))));
        return;
      }
      for (const run of runs) start(run);
      for (const target of setAside) await tellSetAside(target);
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
      return [...running].map(({ target }) => target);
    },
    async drain({ withinMs = DEFAULT_SERVE.drainWithinMs } = {}): Promise<Drained> {
      draining.abort();
      await pulling;
      const all = [...running];
      const over = new AbortController();
      const ended = Promise.all(all.map(({ done }) => done));
      await Promise.race([ended, wait(withinMs, undefined, { signal: over.signal }).catch(() => undefined)]);
      over.abort();
      const late = all.filter((one) => running.has(one));
      for (const { left } of late) left.abort();
      await ended;
      return { ended: all.length - late.length, left: late.length };
    },
  };
}
