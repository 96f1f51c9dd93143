import { setTimeout as wait } from "node:timers/promises";
import { DEFAULT_SERVE, type Drained, type Serving, type SessionTarget } from "./scheduler.ts";

interface Running {
  readonly target: SessionTarget;
  readonly left: AbortController;
  readonly done: Promise<unknown>;
}

/** The sessions that run in this process, and how they end when it goes. */
export interface RunningSessions {
  readonly targets: readonly SessionTarget[];
  readonly size: number;
  /** @param run is told by `left` to leave the session to another process */
  start<T>(target: SessionTarget, run: (left: AbortController) => Promise<T>): Promise<T>;
  /**
   * Waits for those that run now, and leaves the rest to other workers when the time is over.
   * @param lastLook what may still begin some: those count, too, and those that end meanwhile
   */
  drain(options?: Parameters<Serving["drain"]>[0], lastLook?: Promise<unknown>): Promise<Drained>;
}

export function createRunningSessions(): RunningSessions {
  const running = new Set<Running>();
  return {
    get targets() {
      return [...running].map(({ target }) => target);
    },
    get size() {
      return running.size;
    },
    start({ tenant, session }, run) {
      const left = new AbortController();
      const done = run(left).finally(() => running.delete(one));
      const one: Running = { target: { tenant, session }, left, done };
      running.add(one);
      return done;
    },
    async drain({ withinMs = DEFAULT_SERVE.drainWithinMs } = {}, lastLook) {
      const before = [...running];
      await lastLook;
      const all = [...new Set([...before, ...running])];
      const over = new AbortController();
      const ended = Promise.allSettled(all.map(({ done }) => done));
      await Promise.race([ended, wait(withinMs, undefined, { signal: over.signal }).catch(() => undefined)]);
      over.abort();
      const late = all.filter((one) => running.has(one));
      for (const { left } of late) left.abort();
      await ended;
      return { ended: all.length - late.length, left: late.length };
    },
  };
}
