import type { CoordinationConnection } from "./coordination-connection.ts";
import type { CoordinationFile } from "./coordination-file.ts";

/** A coordination file with further tables. */
export type Tables = Pick<CoordinationFile, "read" | "write">;

/** The tables are created on first use: files from earlier releases work without them. */
export function withTables(file: CoordinationFile, sql: string): Tables {
  const prepared = new WeakSet<CoordinationConnection>();
  const write: Tables["write"] = async (work) => {
    let used: CoordinationConnection | undefined;
    const result = await file.write((connection) => {
      if (!prepared.has(connection)) connection.database.exec(sql);
      used = connection;
      return work(connection);
    });
    // Only now: a transaction that failed has created nothing.
    if (used !== undefined) prepared.add(used);
    return result;
  };
  return {
    write,
    async read(work) {
      const found = await file.read((connection) =>
        prepared.has(connection) ? { value: work(connection) } : undefined,
      );
      return found === undefined ? write(work) : found.value;
    },
  };
}
