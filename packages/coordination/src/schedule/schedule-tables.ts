import type { CoordinationConnection } from "../coordination-connection.ts";

/**
 * `wakeup` has a row for each session that is to run or runs: `due_at_ms` is when it is to run, or when whoever has it counts as gone: a worker
 * (`held`), or a process that has `sent` it to another engine.
 * `version` counts its wakes, `done_version` those that a finished run has covered. A reminder becomes `ready` when its time comes.
 */
export const SCHEDULE_TABLES = `CREATE TABLE IF NOT EXISTS wakeup (
  session TEXT PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'held', 'set-aside')),
  due_at_ms REAL NOT NULL,
  version INTEGER NOT NULL,
  done_version INTEGER NOT NULL DEFAULT 0,
  run INTEGER NOT NULL DEFAULT 0,
  sender INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  set_aside_at_ms REAL,
  failure TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS wakeup_due ON wakeup (due_at_ms) WHERE state <> 'set-aside';
CREATE TABLE IF NOT EXISTS reminder (
  session TEXT NOT NULL,
  key TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'ready')),
  due_at_ms REAL NOT NULL,
  reason TEXT NOT NULL,
  past_entry INTEGER,
  run INTEGER,
  PRIMARY KEY (session, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS reminder_due ON reminder (due_at_ms) WHERE state = 'waiting';
CREATE TABLE IF NOT EXISTS run_number (number INTEGER PRIMARY KEY AUTOINCREMENT) STRICT;`;

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
