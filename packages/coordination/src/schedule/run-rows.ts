import type { CoordinationConnection } from "../coordination-connection.ts";
import type { TakenTo } from "./run-queue.ts";

/** Reminders whose time has come let their sessions run. */
export function promoteReminders({ statement }: CoordinationConnection, nowMs: number): void {
  statement(`INSERT INTO wakeup (session, state, due_at_ms, version)
SELECT DISTINCT session, 'waiting', ?, 0 FROM reminder WHERE state = 'waiting' AND due_at_ms <= ?
ON CONFLICT (session) DO UPDATE SET due_at_ms = iif(state = 'waiting', min(due_at_ms, excluded.due_at_ms), due_at_ms)`).run(
    nowMs,
    nowMs,
  );
  statement("UPDATE reminder SET state = 'ready' WHERE state = 'waiting' AND due_at_ms <= ?").run(nowMs);
}

export interface DueSession {
  readonly session: string;
  readonly attempts: number;
}

export function readDue({ statement }: CoordinationConnection, nowMs: number, limit: number): readonly DueSession[] {
  const due = statement(`SELECT session, attempts FROM wakeup WHERE state <> 'set-aside' AND due_at_ms <= ?
ORDER BY due_at_ms, session LIMIT ?`).all(nowMs, limit);
  return due.map((row) => ({ session: String(row["session"]), attempts: Number(row["attempts"]) }));
}

/** One session that is due, or that the run `from` has sent. */
export function readSent(
  { statement }: CoordinationConnection,
  { session, from, nowMs }: { readonly session: string; readonly from: number; readonly nowMs: number },
): DueSession | undefined {
  const row = statement(`SELECT attempts FROM wakeup WHERE session = ? AND state <> 'set-aside'
AND (due_at_ms <= ? OR state <> 'waiting' AND sender = ?)`).get(session, nowMs, from);
  return row && { session, attempts: Number(row["attempts"]) };
}

export function setAside({ statement }: CoordinationConnection, session: string, nowMs: number): void {
  statement("UPDATE wakeup SET state = 'set-aside', set_aside_at_ms = ?, run = 0 WHERE session = ?").run(
    nowMs,
    session,
  );
}

/**
 * From the third on an attempt counts when the run is first renewed: a worker that may not run it beside another suspect gives it back, and
 * may be ended by that other one before it has.
 */
const COUNTED_WHEN_TAKEN = 2;

export interface HeldSession {
  readonly session: string;
  readonly run: number;
  readonly attempt: number;
}

/** @param taken from: the run that has sent it to another engine, or 0 */
export function holdSession(
  { statement }: CoordinationConnection,
  { session, attempts }: DueSession,
  { to, from, untilMs }: { readonly to: TakenTo; readonly from: number; readonly untilMs: number },
): HeldSession {
  const run = Number(statement("INSERT INTO run_number DEFAULT VALUES").run().lastInsertRowid);
  statement("DELETE FROM run_number WHERE number < ?").run(run);
  const attempt = to === "send" ? attempts : attempts + 1;
  statement("UPDATE wakeup SET state = ?, sender = ?, attempts = ?, due_at_ms = ?, run = ? WHERE session = ?").run(
    to === "send" ? "sent" : "held",
    to === "send" ? run : from,
    attempts < COUNTED_WHEN_TAKEN ? attempt : attempts,
    untilMs,
    run,
    session,
  );
  return { session, run, attempt };
}

export interface BegunRun {
  /** The wakes that this run covers. */
  readonly version: number;
  readonly reminders: readonly { readonly key: string; readonly reason: string; readonly dueAtMs: number }[];
}

/**
 * Gives the run the reminders that are due, and drops the stale ones. One that an earlier run was given is not judged again: the log
 * may have grown by that run's own work. Undefined if nothing is left to run for.
 */
export function beginRun(
  { statement }: CoordinationConnection,
  { session, run, headEntry }: { readonly session: string; readonly run: number; readonly headEntry: number },
): BegunRun | undefined {
  statement("DELETE FROM reminder WHERE session = ? AND state = 'ready' AND run IS NULL AND past_entry < ?").run(
    session,
    headEntry,
  );
  const given = statement(`UPDATE reminder SET run = ? WHERE session = ? AND state = 'ready'
RETURNING key, reason, due_at_ms`).all(run, session);
  const row = statement("SELECT version, done_version FROM wakeup WHERE session = ?").get(session);
  if (given.length === 0 && row?.["version"] === row?.["done_version"]) {
    statement("DELETE FROM wakeup WHERE session = ?").run(session);
    return undefined;
  }
  const reminders = given
    .map((each) => ({
      key: String(each["key"]),
      reason: String(each["reason"]),
      dueAtMs: Number(each["due_at_ms"]),
    }))
    .sort((one, other) => one.dueAtMs - other.dueAtMs);
  return { version: Number(row?.["version"]), reminders };
}

/** Keeps the run, and counts the attempt. @returns how often the session was woken so far; undefined if the run is lost */
export function renewRun(
  { statement }: CoordinationConnection,
  { session, run, attempt }: HeldSession,
  untilMs: number,
): { readonly version: number } | undefined {
  const row = statement(`UPDATE wakeup SET due_at_ms = ?, attempts = max(attempts, ?)
WHERE session = ? AND run = ? AND state IN ('held', 'sent') RETURNING version`).get(untilMs, attempt, session, run);
  return row && { version: Number(row["version"]) };
}

/** The row goes, unless the session was woken since the run began. */
export function finishRun(
  { statement }: CoordinationConnection,
  { session, run, version, nowMs }: { session: string; run: number; version: number; nowMs: number },
): "finished" | "woken" | "lost" {
  const row = statement("SELECT version FROM wakeup WHERE session = ? AND run = ? AND state IN ('held', 'sent')").get(
    session,
    run,
  );
  if (row === undefined) return "lost";
  statement("DELETE FROM reminder WHERE session = ? AND run = ?").run(session, run);
  const ready = statement("SELECT 1 FROM reminder WHERE session = ? AND state = 'ready'").get(session);
  if (row["version"] === version && ready === undefined) {
    statement("DELETE FROM wakeup WHERE session = ?").run(session);
    return "finished";
  }
  statement(`UPDATE wakeup SET state = 'waiting', due_at_ms = ?, attempts = 0, done_version = ?, failure = NULL
WHERE session = ?`).run(nowMs, version, session);
  return "woken";
}

interface GivenBack {
  readonly dueAtMs: number;
  /** Absent: the attempt does not count. */
  readonly failure?: string;
  /** The session runs at `nowMs` if it was woken since the run began, which had this version. */
  readonly unlessWoken?: { readonly version: number; readonly nowMs: number };
}

/** To send a session is no attempt. */
export function giveBackRun(
  { statement }: CoordinationConnection,
  { session, run, attempt }: HeldSession,
  { dueAtMs, failure, unlessWoken }: GivenBack,
): "waiting" | "lost" {
  const { version = null, nowMs = dueAtMs } = unlessWoken ?? {};
  const { changes } =
    statement(`UPDATE wakeup SET state = 'waiting', due_at_ms = iif(version > ?, ?, ?), failure = coalesce(?, failure),
  attempts = iif(state = 'held', ?, attempts) WHERE session = ? AND run = ? AND state IN ('held', 'sent')`).run(
      version,
      nowMs,
      dueAtMs,
      failure ?? null,
      failure === undefined ? attempt - 1 : attempt,
      session,
      run,
    );
  return changes === 1 ? "waiting" : "lost";
}
