import type { Schedule } from "@palimpsest/coordination";
import type { Session } from "palimpsest";
import type { SessionTarget, WorkRun } from "./scheduler.ts";

/**
 * Something to do with a session that was silent for a while: keep its prompt in the provider's cache, remind its user, dream about it,
 * delete it. Timers are set when a run of the session ends, and are stale as soon as the session continues.
 */
export interface SessionTimer {
  /** Names the timer. */
  readonly key: string;
  readonly afterMs: number;
  /**
   * Called at least once, unless the session has continued. If it fails, it is called again after as long as before, at least a minute.
   * @returns when it is to be called again, if the session stays silent. @default never
   */
  run(context: TimerContext): Promise<{ readonly againAfterMs: number } | undefined>;
}

/** The session that a timer runs for, and a way to open it. */
export interface TimerContext {
  readonly target: SessionTarget;
  /** Aborted when the worker has lost its right to the session, or is to go. */
  readonly left: AbortSignal;
  /**
   * Opens the session for some work, and closes it again. Another worker that kept it open has lost it then. So do this before the session
   * is deleted: a session that somebody keeps open is busy.
   */
  withSession<T>(work: (session: Session) => Promise<T>): Promise<T>;
}

const KEY_PREFIX = "timer ";
const REASON_PREFIX = "silent since ";

export interface DueTimer {
  readonly timer: SessionTimer;
  /** When the session had become silent. */
  readonly activeAtMs: number;
}

/** The timers that are due in this run. */
export function dueTimers(
  timers: readonly SessionTimer[],
  { reminders }: Pick<WorkRun, "reminders">,
): readonly DueTimer[] {
  return reminders.flatMap(({ key, reason }) => {
    const timer = timers.find((one) => key === `${KEY_PREFIX}${one.key}`);
    return timer === undefined ? [] : [{ timer, activeAtMs: Date.parse(reason.slice(REASON_PREFIX.length)) }];
  });
}

export interface SilentSession {
  readonly session: string;
  readonly newestEntry: number;
  readonly activeAtMs: number;
}

/** Sets timers for a session that became silent. Each replaces the one of the same key. */
export async function setTimers(
  timers: readonly Pick<SessionTimer, "key" | "afterMs">[],
  { session, newestEntry: unlessPastEntry, activeAtMs }: SilentSession,
  schedule: Pick<Schedule, "remind">,
): Promise<void> {
  const reason = `${REASON_PREFIX}${new Date(activeAtMs).toISOString()}`;
  for (const { key, afterMs } of timers)
    await schedule.remind(session, {
      key: `${KEY_PREFIX}${key}`,
      dueAtMs: activeAtMs + afterMs,
      reason,
      unlessPastEntry,
    });
}
