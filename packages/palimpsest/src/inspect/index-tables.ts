import type { DatabaseSync, StatementSync } from "node:sqlite";
import { EMPTY_LOG, type LogHead } from "../log/entry.ts";
import type { IndexRow } from "./index-rows.ts";

/** Rises when the tables or the meaning of a column change: an index of another format is made again. */
export const INDEX_FORMAT = 1;

export const INDEX_SCHEMA: string = `
  CREATE TABLE IF NOT EXISTS head (one INTEGER PRIMARY KEY CHECK (one = 1), sequence INTEGER NOT NULL, hash TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS requests (
    ordinal INTEGER PRIMARY KEY, entry INTEGER NOT NULL UNIQUE, at_ms INTEGER NOT NULL, source TEXT NOT NULL,
    model TEXT NOT NULL, tokens INTEGER NOT NULL, window TEXT NOT NULL,
    -- Of its response: a timeline reads one table, row by row.
    fresh INTEGER, cache_read INTEGER, cache_write INTEGER, output INTEGER, usd REAL, gap_usd REAL, lost INTEGER
  );
  CREATE TABLE IF NOT EXISTS responses (
    entry INTEGER PRIMARY KEY, request INTEGER, at_ms INTEGER NOT NULL, source TEXT NOT NULL, model TEXT NOT NULL,
    fresh INTEGER NOT NULL, cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL, output INTEGER NOT NULL,
    usd REAL, gap_usd REAL, lost TEXT
  );
  CREATE INDEX IF NOT EXISTS losses ON responses (entry) WHERE lost IS NOT NULL;
  CREATE TABLE IF NOT EXISTS events (entry INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, event TEXT NOT NULL, text TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS events_by_kind ON events (event, entry);
`;

export interface IndexDatabase {
  readonly database: DatabaseSync;
  readonly statement: (sql: string) => StatementSync;
}

/** How far the index goes: the number and the hash of the newest entry in it. */
export function readIndexHead({ statement }: IndexDatabase): LogHead {
  return (statement("SELECT sequence, hash FROM head").get() as unknown as LogHead | undefined) ?? EMPTY_LOG;
}

/** Writes rows and the new head as one; `elsewhere`: another process has written since, and nothing was written. */
export function writeRows(
  index: IndexDatabase,
  rows: readonly IndexRow[],
  { after, head }: { readonly after: LogHead; readonly head: LogHead },
): "written" | "elsewhere" {
  const { database, statement } = index;
  database.exec("BEGIN IMMEDIATE");
  try {
    if (readIndexHead(index).hash !== after.hash) {
      database.exec("ROLLBACK");
      return "elsewhere";
    }
    for (const row of rows) writeRow(index, row);
    statement("INSERT OR REPLACE INTO head VALUES (1, ?, ?)").run(head.sequence, head.hash);
    database.exec("COMMIT");
    return "written";
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function writeRow({ statement }: IndexDatabase, row: IndexRow): void {
  const { entry, atMs } = row;
  switch (row.kind) {
    case "request": {
      const tokens = row.window.reduce((sum, part) => sum + part, 0);
      statement("INSERT INTO requests (entry, at_ms, source, model, tokens, window) VALUES (?, ?, ?, ?, ?, ?)").run(
        ...[entry, atMs, row.source, row.model, tokens, JSON.stringify(row.window)],
      );
      return;
    }
    case "response": {
      const counts = [row.freshTokens, row.cacheReadTokens, row.cacheWriteTokens, row.outputTokens];
      const prices = [row.priceUsd ?? null, row.gapUsd ?? null];
      statement("INSERT INTO responses VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").run(
        ...[entry, row.request ?? null, atMs, row.source, row.model, ...counts, ...prices],
        row.break === undefined ? null : JSON.stringify(row.break),
      );
      if (row.request === undefined) return;
      statement(
        `UPDATE requests SET fresh = ?, cache_read = ?, cache_write = ?, output = ?, usd = ?, gap_usd = ?, lost = ?
        WHERE entry = ? AND source = ?`,
      ).run(...counts, ...prices, row.break === undefined ? null : 1, row.request, row.source);
      return;
    }
    case "event":
      statement("INSERT INTO events VALUES (?, ?, ?, ?)").run(entry, atMs, row.event, row.text);
      // An erased text is erased here, too.
      if (row.event === "erased") statement("UPDATE events SET text = '' WHERE entry = ?").run(Number(row.text));
  }
}
