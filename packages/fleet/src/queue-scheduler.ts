import type { RunQueue, Schedule } from "@palimpsest/coordination";
import type { Scheduler } from "./scheduler.ts";
import { serveQueue } from "./serve-queue.ts";

/** The run queue, and the schedule of each tenant. */
export interface QueueSchedulerOptions {
  readonly queue: RunQueue;
  /** The schedule of a tenant. */
  schedule(tenant: string): Pick<Schedule, "wake">;
}

/** Runs sessions from a run queue: that of `openPostgresDispatch` for any number of machines, that of `openDispatch` for one. */
export function queueScheduler({ queue, schedule }: QueueSchedulerOptions): Scheduler {
  return {
    wake: ({ tenant, session }) => schedule(tenant).wake(session),
    serve: (work, options = {}) => serveQueue(queue, work, options),
  };
}
