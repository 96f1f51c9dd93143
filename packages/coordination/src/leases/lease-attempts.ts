import type { CoordinationConnection } from "../coordination-connection.ts";

/** The outcomes of attempts, finished or not. */
export interface LeaseAttempts {
  /** When the newest attempt began, by a wall clock. */
  readonly lastTriedAtMs?: number;
  /** The number of failures since the last success. */
  readonly failures: number;
}

export function noteAttempt(
  { statement }: CoordinationConnection,
  name: string,
  { outcome, atMs }: { readonly outcome: "done" | "held" | "failed"; readonly atMs: number },
): void {
  statement(`INSERT INTO tries (name, tried_at_ms, failures) VALUES (?, ?, ?)
ON CONFLICT (name) DO UPDATE SET tried_at_ms = excluded.tried_at_ms,
  failures = iif(excluded.failures = 0, 0, failures + 1)`).run(name, atMs, outcome === "failed" ? 1 : 0);
}

export function readAttempts({ statement }: CoordinationConnection, name: string): LeaseAttempts {
  const row = statement("SELECT tried_at_ms, failures FROM tries WHERE name = ?").get(name);
  if (row === undefined) return { failures: 0 };
  return { lastTriedAtMs: Number(row["tried_at_ms"]), failures: Number(row["failures"]) };
}
