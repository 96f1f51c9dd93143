import type { DatabaseSync, StatementSync } from "node:sqlite";

/** Statements of one connection, prepared when first used, then kept. */
export function preparedStatements(database: DatabaseSync): (sql: string) => StatementSync {
  const statements = new Map<string, StatementSync>();
  return (sql) => {
    const found = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, found);
    return found;
  };
}
