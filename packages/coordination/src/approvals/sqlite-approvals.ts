import type { CoordinationConnection } from "../coordination-connection.ts";
import type { CoordinationFile } from "../coordination-file.ts";
import { deleteReminder, wakeSession, writeReminder } from "../schedule/schedule-rows.ts";
import { type ApprovalRow, inputText, toAnswer, toAskResult, toPendingPage, toState } from "./approval-row.ts";
import { type AnswerOutcome, type Approvals, DEFAULT_PENDING_LIMIT, EXPIRED, expiryKey } from "./approvals.ts";

export interface SqliteApprovalsOptions {
  readonly file: CoordinationFile;
  readonly clock: { now(): number };
  ring(): void;
}

export function createSqliteApprovals({ file, clock, ring }: SqliteApprovalsOptions): Approvals {
  return {
    ask: (question) =>
      file.write((connection) => {
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
      file.read((connection) => {
        const row = readApproval(connection, session, callId);
        return row === undefined ? { kind: "absent" } : toState(row, clock.now());
      }),
    pending: ({ session = null, after = "0", limit = DEFAULT_PENDING_LIMIT } = {}) =>
      file.read(({ statement }) => {
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
      const outcome = await file.write((connection): AnswerOutcome => {
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
      file.write((connection) => {
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
