import type { Schedule } from "@palimpsest/coordination";
import type { Store } from "palimpsest";
import { newestEntryOf } from "./newest-entry-of.ts";
import type { OpenSessions } from "./open-sessions.ts";
import type { SessionTarget, WorkRun } from "./scheduler.ts";
import { dueTimers, type SessionTimer, setTimers, type TimerContext } from "./session-timer.ts";

export interface RunTimersOptions {
  readonly timers: readonly SessionTimer[];
  readonly sessions: OpenSessions;
  readonly store: Pick<Store, "openReader">;
  readonly schedule: Pick<Schedule, "remind">;
  readonly clock: { now(): number };
  readonly onError: ((error: unknown, target: SessionTarget) => void) | undefined;
}

/** A timer that fails is no reason to set its session aside. */
const RETRY_AFTER_MS = 60_000;

/**
 * Runs the timers that are due. One that adds to the log, such as a ping of the provider's cache, does not make the other ones stale: they
 * are set again, for the same time.
 */
export async function runTimers(run: WorkRun, options: RunTimersOptions): Promise<void> {
  const { timers, sessions, store, schedule, clock, onError } = options;
  const { tenant, session, left } = run;
  const target = { tenant, session };
  const due = dueTimers(timers, run);
  const [first] = due;
  if (first === undefined) return;
  const { activeAtMs } = first;
  await sessions.drop(target);
  const again = new Map<string, number>();
  for (const { timer } of due) {
    const withSession: TimerContext["withSession"] = (work) =>
      sessions.use(target, left, work).finally(() => sessions.drop(target));
    try {
      const outcome = await timer.run({ target, left, withSession });
      again.set(timer.key, outcome?.againAfterMs ?? Number.POSITIVE_INFINITY);
    } catch (error) {
      if (left.aborted) throw error;
      onError?.(error, target);
      again.set(timer.key, Math.max(timer.afterMs, RETRY_AFTER_MS));
    }
  }
  const newestEntry = await newestEntryOf(store, session);
  // A timer has deleted the session.
  if (newestEntry === undefined) return;
  const silentMs = clock.now() - activeAtMs;
  const next = timers
    .map(({ key, afterMs }) => ({ key, afterMs: again.has(key) ? silentMs + again.get(key)! : afterMs }))
    .filter(({ afterMs }) => Number.isFinite(afterMs));
  await setTimers(next, { session, newestEntry, activeAtMs }, schedule);
}
