import type { Tables } from "../tables.ts";
import type { Schedule } from "./schedule.ts";
import { deleteReminder, wakeSession, writeReminder } from "./schedule-tables.ts";
import { toSetAsidePage } from "./set-aside-page.ts";

export interface SqliteScheduleOptions {
  readonly tables: Tables;
  readonly clock: { now(): number };
  /** Tells those that wait for work, after the commit. */
  ring(): void;
}

const PAGE_SESSIONS = 100;

export function createSqliteSchedule({ tables, clock, ring }: SqliteScheduleOptions): Schedule {
  return {
    async wake(session) {
      const outcome = await tables.write((connection) => wakeSession(connection, session, clock.now()));
      ring();
      return outcome;
    },
    async remind(session, reminder) {
      await tables.write((connection) => writeReminder(connection, session, reminder));
      if (reminder.dueAtMs <= clock.now()) ring();
    },
    cancelReminder: (session, key) =>
      tables.write((connection) => (deleteReminder(connection, session, key) ? "canceled" : "absent")),
    listSetAside: ({ after = "", limit = PAGE_SESSIONS } = {}) =>
      tables.read(({ statement }) => {
        const rows = statement(`SELECT session, attempts, set_aside_at_ms, failure FROM wakeup
WHERE state = 'set-aside' AND session > ? ORDER BY session LIMIT ?`).all(after, limit + 1);
        return toSetAsidePage(rows, limit);
      }),
    async resume(session) {
      const outcome = await tables.write(({ statement }) => {
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
