import type { CoordinationFile } from "../coordination-file.ts";
import { wakeSession } from "../schedule/schedule-rows.ts";
import { type AddedItem, DEFAULT_INBOX_LIMIT, fingerprintOf, type SessionInbox } from "./session-inbox.ts";

export interface SqliteInboxOptions {
  readonly file: CoordinationFile;
  readonly clock: { now(): number };
  ring(): void;
}

export function createSqliteInbox({ file, clock, ring }: SqliteInboxOptions): SessionInbox {
  return {
    async add(session, { key, payload, traceparent = null }) {
      const added = await file.write((connection): AddedItem => {
        const { statement } = connection;
        const nowMs = clock.now();
        const text = JSON.stringify(payload) ?? "null";
        const fingerprint = fingerprintOf(text);
        const { changes } = statement(`INSERT INTO inbox (session, key, payload, fingerprint, traceparent, added_at_ms)
VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (session, key) DO NOTHING`).run(
          session,
          key,
          text,
          fingerprint,
          traceparent,
          nowMs,
        );
        const row = statement("SELECT number, fingerprint FROM inbox WHERE session = ? AND key = ?").get(session, key);
        const before = row?.["fingerprint"] === fingerprint ? "known" : "different";
        const woken = wakeSession(connection, session, nowMs);
        return { kind: changes === 1 ? "added" : before, number: Number(row?.["number"]), session: woken };
      });
      ring();
      return added;
    },
    read: (session, { limit = DEFAULT_INBOX_LIMIT } = {}) =>
      file.read(({ statement }) =>
        statement(`SELECT number, key, payload, traceparent, added_at_ms FROM inbox WHERE session = ? AND payload IS NOT NULL
ORDER BY number LIMIT ?`)
          .all(session, limit)
          .map((row) => ({
            number: Number(row["number"]),
            key: String(row["key"]),
            payload: JSON.parse(String(row["payload"])),
            addedAtMs: Number(row["added_at_ms"]),
            ...(row["traceparent"] === null ? {} : { traceparent: String(row["traceparent"]) }),
          })),
      ),
    acknowledge: (session, numbers) =>
      file.write(({ statement }) => {
        const taken = statement("UPDATE inbox SET payload = NULL WHERE session = ? AND number = ?");
        for (const number of numbers) taken.run(session, number);
      }),
  };
}
