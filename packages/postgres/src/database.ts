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

/** No statement has a name and nothing is set for longer than a transaction: a pooler may change connections in between. */
export function createDatabase(pool: Pool): Database {
  return {
    async call(name, values, columns = "*") {
      const parameters = values.map((_, index) => `$${index + 1}`).join(", ");
      try {
        const { rows } = await pool.query(`SELECT ${columns} FROM palimpsest.${name}(${parameters})`, [...values]);
        return rows as readonly Row[];
      } catch (error) {
        throw toDatabaseError(name, error);
      }
    },
  };
}
