import type { CoordinationConnection } from "../coordination-connection.ts";

/** The outcomes of attempts, finished or not. */
export interface LeaseAttempts {
  /** When the newest attempt began, by a wall clock. */
  readonly lastTriedAtMs?: number;
  /** The number of failures since the last success. */
  readonly failures: number;
}

// Created on first use: files from earlier releases work without it.
const TABLE = `CREATE TABLE IF NOT EXISTS tries (
  name TEXT PRIMARY KEY,
  tried_at_ms REAL NOT NULL,
  failures INTEGER NOT NULL
) STRICT, WITHOUT ROWID`;

export function noteAttempt(
  { database, statement }: CoordinationConnection,
  name: string,
  { outcome, atMs }: { readonly outcome: "done" | "held" | "failed"; readonly atMs: number },
): void {
  database.exec(TABLE);
  statement(`INSERT INTO tries (name, tried_at_ms, failures) VALUES (?, ?, ?)
ON CONFLICT (name) DO UPDATE SET tried_at_ms = excluded.tried_at_ms,
  failures = iif(excluded.failures = 0, 0, failures + 1)`).run(name, atMs, outcome === "failed" ? 1 : 0);
}

export function readAttempts({ statement }: CoordinationConnection, name: string): LeaseAttempts {
  if (statement("SELECT 1 FROM sqlite_schema WHERE name = 'tries'").get() === undefined) return { failures: 0 };
  const row = statement("SELECT tried_at_ms, failures FROM tries WHERE name = ?").get(name);
  if (row === undefined) return { failures: 0 };
  return { lastTriedAtMs: Number(row["tried_at_ms"]), failures: Number(row["failures"]) };
}
