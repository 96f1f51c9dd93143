import type { CoordinationFile } from "../coordination-file.ts";
import type { Schedule } from "./schedule.ts";
import { deleteReminder, wakeSession, writeReminder } from "./schedule-rows.ts";
import { toSetAsidePage } from "./set-aside-page.ts";

export interface SqliteScheduleOptions {
  readonly file: CoordinationFile;
  readonly clock: { now(): number };
  /** Tells those that wait for work, after the commit. */
  ring(): void;
}

const PAGE_SESSIONS = 100;

export function createSqliteSchedule({ file, clock, ring }: SqliteScheduleOptions): Schedule {
  return {
    async wake(session) {
      const outcome = await file.write((connection) => wakeSession(connection, session, clock.now()));
      ring();
      return outcome;
    },
    async remind(session, reminder) {
      await file.write((connection) => writeReminder(connection, session, reminder));
      if (reminder.dueAtMs <= clock.now()) ring();
    },
    cancelReminder: (session, key) =>
      file.write((connection) => (deleteReminder(connection, session, key) ? "canceled" : "absent")),
    listSetAside: ({ after = "", limit = PAGE_SESSIONS } = {}) =>
      file.read(({ statement }) => {
        const rows = statement(`SELECT session, attempts, set_aside_at_ms, failure FROM wakeup
WHERE state = 'set-aside' AND session > ? ORDER BY session LIMIT ?`).all(after, limit + 1);
        return toSetAsidePage(rows, limit);
      }),
    async resume(session) {
      const outcome = await file.write(({ statement }) => {
        const { changes } =
          statement(`UPDATE wakeup SET state = 'waiting', attempts = 0, due_at_ms = ?, set_aside_at_ms = NULL
WHERE session = ? AND state = 'set-aside'`).run(clock.now(), session);
        return changes === 0 ? ("absent" as const) : ("resumed" as const);
      });
      ring();
      return outcome;
    },
  };
}
