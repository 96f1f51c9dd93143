import type { CoordinationConnection } from "../coordination-connection.ts";
import { deleteReminder, wakeSession, writeReminder } from "../schedule/schedule-tables.ts";
import type { Tables } from "../tables.ts";
import { type ApprovalRow, inputText, toAnswer, toAskResult, toPendingPage, toState } from "./approval-row.ts";
import { type AnswerOutcome, type Approvals, DEFAULT_PENDING_LIMIT, EXPIRED, expiryKey } from "./approvals.ts";

export const APPROVAL_TABLES = `CREATE TABLE IF NOT EXISTS approval (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  session TEXT NOT NULL,
  call_id TEXT NOT NULL,
  tool TEXT NOT NULL,
  input TEXT NOT NULL,
  reason TEXT,
  asked_at_ms REAL NOT NULL,
  expires_at_ms REAL,
  decision TEXT CHECK (decision IN ('allow', 'deny')),
  answer_reason TEXT,
  answered_by TEXT,
  answered_at_ms REAL,
  UNIQUE (session, call_id)
) STRICT;
CREATE INDEX IF NOT EXISTS approval_pending ON approval (number) WHERE decision IS NULL;
CREATE TRIGGER IF NOT EXISTS approval_is_answered_once BEFORE UPDATE ON approval WHEN OLD.decision IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a question is answered once'); END;`;

export interface SqliteApprovalsOptions {
  /** With the tables of the schedule. */
  readonly tables: Tables;
  readonly clock: { now(): number };
  ring(): void;
}

export function createSqliteApprovals({ tables, clock, ring }: SqliteApprovalsOptions): Approvals {
  return {
    ask: (question) =>
      tables.write((connection) => {
        const { sessionId: session, callId, tool, input, reason = null, expiresAtMs } = question;
        const nowMs = clock.now();
        const { changes } = connection
          .statement(`INSERT INTO approval (session, call_id, tool, input, reason, asked_at_ms, expires_at_ms)
VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (session, call_id) DO NOTHING`)
          .run(session, callId, tool, inputText(input), reason, nowMs, expiresAtMs ?? null);
        if (changes === 1 && expiresAtMs !== undefined)
          writeReminder(connection, session, { key: expiryKey(callId), dueAtMs: expiresAtMs, reason: EXPIRED });
        return toAskResult(readApproval(connection, session, callId)!, question, nowMs);
      }),
    read: (session, callId) =>
      tables.read((connection) => {
        const row = readApproval(connection, session, callId);
        return row === undefined ? { kind: "absent" } : toState(row, clock.now());
      }),
    pending: ({ session = null, after = "0", limit = DEFAULT_PENDING_LIMIT } = {}) =>
      tables.read(({ statement }) => {
        const rows =
          statement(`SELECT * FROM approval WHERE decision IS NULL AND number > ? AND (? IS NULL OR session = ?)
  AND (expires_at_ms IS NULL OR expires_at_ms > ?) ORDER BY number LIMIT ?`).all(
            Number(after),
            session,
            session,
            clock.now(),
            limit + 1,
          );
        return toPendingPage(rows, limit);
      }),
    async answer(session, callId, { decision, by, reason = null }) {
      const outcome = await tables.write((connection): AnswerOutcome => {
        const row = readApproval(connection, session, callId);
        if (row === undefined) return { kind: "absent" };
        const nowMs = clock.now();
        const state = toState(row, nowMs);
        if (state.kind === "answered") return { kind: "answered-before", answer: toAnswer(row) };
        if (state.kind === "expired") return { kind: "expired", expiredAtMs: Number(row["expires_at_ms"]) };
        connection
          .statement(`UPDATE approval SET decision = ?, answer_reason = ?, answered_by = ?, answered_at_ms = ?
WHERE session = ? AND call_id = ?`)
          .run(decision, reason, by, nowMs, session, callId);
        deleteReminder(connection, session, expiryKey(callId));
        wakeSession(connection, session, nowMs);
        return { kind: "answered" };
      });
      if (outcome.kind === "answered") ring();
      return outcome;
    },
    withdraw: (session, callId) =>
      tables.write((connection) => {
        const row = readApproval(connection, session, callId);
        if (row === undefined) return "absent";
        if (row["decision"] !== null) return "answered";
        connection.statement("DELETE FROM approval WHERE session = ? AND call_id = ?").run(session, callId);
        deleteReminder(connection, session, expiryKey(callId));
        return "withdrawn";
      }),
  };
}

function readApproval({ statement }: CoordinationConnection, session: string, callId: string): ApprovalRow | undefined {
  return statement("SELECT * FROM approval WHERE session = ? AND call_id = ?").get(session, callId);
}
