import type { DatabaseEvent } from "palimpsest/telemetry";
import { toDatabaseError } from "./database-error.ts";

/** What is asked of a pool: that of `pg` fits. */
export interface Pool {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/** A pool that also lends a connection for a transaction: that of `pg` fits. */
export interface TransactionPool extends Pool {
  connect(): Promise<Pool & { release(error?: boolean): void }>;
}

export type Row = Readonly<Record<string, unknown>>;

/** Calls functions of the schema, each in one statement, one round trip and one transaction, on whatever connection is free. */
export interface Database {
  /** @param columns what is selected of the function's rows */
  call(call: string, values: readonly unknown[], columns?: string): Promise<readonly Row[]>;
}

/** Runs calls in one transaction, on one connection. If they fail, nothing of them is kept. */
export async function inTransaction<T>(pool: TransactionPool, work: (database: Database) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let outcome: "whole" | "broken" = "broken";
  try {
    await client.query("BEGIN");
    const value = await work(createDatabase(client));
    await client.query("COMMIT");
    outcome = "whole";
    return value;
  } finally {
    // A connection that may be in the middle of a transaction is not given to anybody else.
    client.release(outcome === "broken");
  }
}

/** No statement has a name and nothing is set for longer than a transaction: a pooler may change connections in between. */
export function createDatabase(pool: Pool, onEvent?: (event: DatabaseEvent) => void): Database {
  return {
    async call(name, values, columns = "*") {
      const parameters = values.map((_, index) => `$${index + 1}`).join(", ");
      const startedAtMs = performance.now();
      const tell = (told: { readonly outcome?: string } | { readonly error: string }): void =>
        onEvent?.({ kind: "statement", operation: name, durationMs: performance.now() - startedAtMs, ...told });
      try {
        const { rows } = await pool.query(`SELECT ${columns} FROM palimpsest.${name}(${parameters})`, [...values]);
        const outcome = (rows[0] as Row | undefined)?.["outcome"];
        tell(typeof outcome === "string" ? { outcome } : {});
        return rows as readonly Row[];
      } catch (error) {
        const failure = toDatabaseError(name, error);
        tell({ error: failure.reason });
        throw failure;
      }
    },
  };
}
