import { wakeSession } from "../schedule/schedule-tables.ts";
import type { Tables } from "../tables.ts";
import { type AddedItem, DEFAULT_INBOX_LIMIT, fingerprintOf, type SessionInbox } from "./session-inbox.ts";

/** An item without a payload was acknowledged: its key stays. */
export const INBOX_TABLES = `CREATE TABLE IF NOT EXISTS inbox (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  session TEXT NOT NULL,
  key TEXT NOT NULL,
  payload TEXT,
  fingerprint TEXT NOT NULL,
  traceparent TEXT,
  added_at_ms REAL NOT NULL,
  UNIQUE (session, key)
) STRICT;
CREATE INDEX IF NOT EXISTS inbox_waiting ON inbox (session, number) WHERE payload IS NOT NULL;`;

export interface SqliteInboxOptions {
  /** With the tables of the schedule. */
  readonly tables: Tables;
  readonly clock: { now(): number };
  ring(): void;
}

export function createSqliteInbox({ tables, clock, ring }: SqliteInboxOptions): SessionInbox {
  return {
    async add(session, { key, payload, traceparent = null }) {
      const added = await tables.write((connection): AddedItem => {
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
      tables.read(({ statement }) =>
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
      tables.write(({ statement }) => {
        const taken = statement("UPDATE inbox SET payload = NULL WHERE session = ? AND number = ?");
        for (const number of numbers) taken.run(session, number);
      }),
  };
}
