import type { Schedule } from "@palimpsest/coordination";
import type { Session } from "palimpsest";
import type { SessionTarget, WorkRun } from "./scheduler.ts";

/**
 * Something to do with a session that was silent for a while: keep its prompt in the provider's cache, remind its user, dream about it,
 * delete it. A timer is set when a run of the session ends, and is stale as soon as the session continues.
 */
export interface SessionTimer {
  /** Names the timer. */
  readonly key: string;
  readonly afterMs: number;
  /** Called at least once, unless the session has continued. If it fails, the run fails, and it is called again. */
  run(context: TimerContext): Promise<void>;
}

export interface TimerContext {
  readonly target: SessionTarget;
  /** Aborted when the worker has lost its right to the session, or is to go. */
  readonly left: AbortSignal;
  /** Opens the session for some work. Nobody has it open before: so a timer can also delete it. */
  withSession<T>(work: (session: Session) => Promise<T>): Promise<T>;
}

const KEY_PREFIX = "timer ";

/** The timers that are due in this run. */
export function dueTimers(timers: readonly SessionTimer[], { reminders }: Pick<WorkRun, "reminders">): readonly SessionTimer[] {
  const due = new Set(reminders.map(({ key }) => key));
  return timers.filter(({ key }) => due.has(`${KEY_PREFIX}${key}`));
}

/** Sets all timers anew, from now on. */
export async function setTimers(
  timers: readonly SessionTimer[],
  { id, history }: Pick<Session, "id" | "history">,
  { schedule, nowMs }: { readonly schedule: Pick<Schedule, "remind">; readonly nowMs: number },
): Promise<void> {
  const unlessPastEntry = history.newestEntry;
  for (const { key, afterMs } of timers) {
    const name = `${KEY_PREFIX}${key}`;
    await schedule.remind(id, { key: name, dueAtMs: nowMs + afterMs, reason: key, unlessPastEntry });
  }
}
