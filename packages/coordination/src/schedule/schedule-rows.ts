import type { CoordinationConnection } from "../coordination-connection.ts";

/** Lets a session run now; a session that runs runs again. */
export function wakeSession(
  { statement }: CoordinationConnection,
  session: string,
  nowMs: number,
): "woken" | "set-aside" {
  const row = statement(`INSERT INTO wakeup (session, state, due_at_ms, version) VALUES (?, 'waiting', ?, 1)
ON CONFLICT (session) DO UPDATE SET version = version + 1,
  due_at_ms = iif(state = 'waiting', min(due_at_ms, excluded.due_at_ms), due_at_ms) RETURNING state`).get(
    session,
    nowMs,
  );
  return row?.["state"] === "set-aside" ? "set-aside" : "woken";
}

export interface ReminderRow {
  readonly key: string;
  readonly dueAtMs: number;
  readonly reason: string;
  readonly unlessPastEntry?: number;
}

/** A new time counts for the next run, also if the reminder of this key was given to the run that is under way. */
export function writeReminder({ statement }: CoordinationConnection, session: string, reminder: ReminderRow): void {
  const { key, dueAtMs, reason, unlessPastEntry = null } = reminder;
  statement(`INSERT INTO reminder (session, key, state, due_at_ms, reason, past_entry) VALUES (?, ?, 'waiting', ?, ?, ?)
ON CONFLICT (session, key) DO UPDATE SET state = 'waiting', due_at_ms = excluded.due_at_ms, reason = excluded.reason,
  past_entry = excluded.past_entry, run = NULL`).run(session, key, dueAtMs, reason, unlessPastEntry);
}

/** @returns whether there was one that no run has been given */
export function deleteReminder({ statement }: CoordinationConnection, session: string, key: string): boolean {
  return (
    statement("DELETE FROM reminder WHERE session = ? AND key = ? AND run IS NULL").run(session, key).changes !== 0
  );
}
