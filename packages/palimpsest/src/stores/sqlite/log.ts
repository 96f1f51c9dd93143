// The operations on an open log file. Each call is one snapshot or one transaction.

import type { DatabaseSync, StatementSync } from "node:sqlite";
import { EMPTY_LOG, type Entry, type LogHead } from "../../log/entry.ts";
import type { AppendResult, BusyWriter, OpenWriterOptions } from "../store.ts";
import { checkOfPayload, checkOfRow, DROP_SEARCH, ENTRY_COLUMNS } from "./file-format.ts";

/** An open log file. It belongs to one call at a time: all calls of node:sqlite are synchronous. */
export interface Connection {
  /**
   * `shared`: an ordinary connection of SQLite. `frozen`: reads without locks, because the folder is not writable. The result is valid
   * only if `isCurrent` returns true afterwards.
   */
  readonly kind: "shared" | "frozen";
  readonly database: DatabaseSync;
  /** Returns a prepared statement. Statements are prepared at their first use; most sessions need three or four. */
  statement(sql: string): StatementSync;
  /** Whether the file under the path is still the one that was opened. */
  isCurrent(): boolean;
  close(): void;
  /** Closes the connection but keeps the -wal, so that opening the log again is cheap. Returns the state of the files for `openConnection`. */
  leave(): string;
}

/** Reads the newest entry, and checks that the end of the log is not lost. */
export function readHead(connection: Connection): LogHead {
  const row = connection.statement(HEAD).get();
  if (row === undefined) throw damaged("its writer row is missing");
  const { last_sequence: last, highest } = row;
  if (last !== (highest ?? 0)) throw damaged(`it should end with entry ${last}, but ends with entry ${highest ?? 0}`);
  if (highest === null) return EMPTY_LOG;
  const { sequence, hash } = toEntry(row);
  return { sequence, hash };
}

// Leaves out the payload, which may be large.
const HEAD = `SELECT last_sequence, (SELECT max(sequence) FROM entry) AS highest, ${ENTRY_COLUMNS.replace(/, payload$/, "")}
FROM writer LEFT JOIN entry ON sequence = last_sequence WHERE id = 1`;

/** Reads entries in order, and checks that none is missing. */
export function readRange(connection: Connection, { from, to }: { from: number; to: number }): Entry[] {
  const first = Math.max(1, Math.ceil(from));
  const head = readHead(connection);
  const rows = connection
    .statement(`SELECT ${ENTRY_COLUMNS} FROM entry WHERE sequence BETWEEN ? AND ? ORDER BY sequence`)
    .all(first, to);
  const entries = rows.map(toEntry);
  const last = first + entries.length - 1;
  // A damaged page can make SQLite skip rows without an error. A log can grow in the meantime, but never shrink.
  if (last < Math.floor(Math.min(to, head.sequence))) throw damaged(`entry ${last + 1} of ${head.sequence} is missing`);
  const wrong = entries.findIndex((entry, index) => entry.sequence !== first + index);
  if (wrong >= 0) throw damaged(`entry ${first + wrong} is out of order`);
  return entries;
}

/** Reads the newest entry of a kind, below a number. */
export function readNewest(
  connection: Connection,
  { kind, below }: { kind: string; below: number },
): Entry | undefined {
  const row = connection
    .statement(`SELECT ${ENTRY_COLUMNS} FROM entry WHERE kind = ? AND sequence < ? ORDER BY sequence DESC LIMIT 1`)
    .get(kind, below);
  return row === undefined ? undefined : toEntry(row);
}

/** Makes the caller the writer of the log, and returns its fence; returns the current writer if the log is busy. */
export function takeFence(connection: Connection, options: TakeFenceOptions): number | BusyWriter {
  const { owner, nowMs, beat, takeover = "if-free" } = options;
  return inTransaction(connection, () => {
    const writer = readWriter(connection);
    const currentOwner = takeover === "if-free" ? options.findOwner(writer) : undefined;
    if (currentOwner !== undefined) return currentOwner;
    const fence = writer.fence + 1;
    connection
      .statement("UPDATE writer SET fence = ?, owner = ?, active_at_ms = ?, state = 'open', beat = ? WHERE id = 1")
      .run(fence, owner, nowMs, beat);
    return fence;
  });
}

interface TakeFenceOptions extends OpenWriterOptions {
  readonly nowMs: number;
  /** The name of the new writer's heartbeat. */
  readonly beat: string;
  readonly findOwner: FindOwner;
}

/** Returns the current owner of a log by its writer row; undefined if the log is free. */
export type FindOwner = (writer: Writer) => BusyWriter | undefined;

export interface Writer {
  readonly fence: number;
  readonly owner: string;
  readonly activeAtMs: number;
  readonly state: "open" | "closed";
  /** The name of its store's heartbeat. */
  readonly beat: string;
}

/** Reads the writer row. */
export function readWriter(connection: Connection): Writer {
  const row = connection.statement("SELECT fence, owner, active_at_ms, state, beat FROM writer WHERE id = 1").get();
  if (row === undefined) throw damaged("its writer row is missing");
  const { fence, owner, active_at_ms: activeAtMs, state, beat } = row as Row;
  return { fence, owner, activeAtMs, state, beat } as Writer;
}

/** Appends entries if the writer is not fenced and the entries continue the log. */
export function appendEntries(
  connection: Connection,
  { fence, entries, nowMs }: { fence: number; entries: readonly Entry[]; nowMs: number },
): AppendResult {
  return inTransaction(connection, (): AppendResult => {
    const writer = readWriter(connection);
    if (writer.fence !== fence) return { kind: "fenced", owner: writer.owner, fence: writer.fence };
    const head = readHead(connection);
    if (entries.some(({ sequence }, index) => sequence !== head.sequence + index + 1))
      return { kind: "out-of-order", head };
    const insert = connection.statement(`INSERT INTO entry (${ENTRY_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    for (const entry of entries) {
      const { sequence, parent, kind, version, atMs, digest, hash, payload = null } = entry;
      const check = checkOfPayload(entry.payload);
      insert.run(sequence, parent, kind, version, atMs, digest, hash, check, checkOfRow(entry, check), payload);
    }
    const last = entries.at(-1) ?? head;
    connection
      .statement("UPDATE writer SET active_at_ms = ?, last_sequence = ?, state = 'open' WHERE id = 1")
      .run(nowMs, last.sequence);
    return { kind: "appended", head: { sequence: last.sequence, hash: last.hash } };
  });
}

/** Erases the payload of an entry, in the file, its -wal and the search index. */
export function erasePayload(
  connection: Connection,
  { fence, sequence }: { fence: number; sequence: number },
): "erased" | "absent" | "fenced" {
  const result = inTransaction(connection, () => {
    if (readWriter(connection).fence !== fence) return "fenced";
    // FTS5 only marks a row as deleted, and the words stay in the file. So the whole index is removed. The next search rebuilds it.
    connection.database.exec(DROP_SEARCH);
    const { changes } = connection.statement("UPDATE entry SET payload = NULL WHERE sequence = ?").run(sequence);
    return Number(changes) === 0 ? "absent" : "erased";
  });
  // With secure_delete, the freed pages are overwritten with zeros, but the -wal keeps the old pages until it is written into the file
  // and truncated. If another process reads at this moment, that happens at the next opportunity.
  if (result === "erased") {
    try {
      connection.database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // The payload is erased. Closing the log repeats the failed checkpoint.
    }
  }
  return result;
}

/** Marks the log as free, unless another writer has taken it over. */
export function releaseFence(connection: Connection, { fence }: { fence: number }): void {
  inTransaction(connection, () =>
    connection.statement("UPDATE writer SET state = 'closed' WHERE id = 1 AND fence = ?").run(fence),
  );
}

/** Returns the row's entry, if the row is intact. */
export function toEntry(row: Row): Entry {
  const entry = toUncheckedEntry(row);
  const { payload_crc32: payloadCheck, row_crc32: check } = row;
  if (checkOfRow(entry, payloadCheck as number) !== check)
    throw damaged(`entry ${entry.sequence} does not match its checksum`);
  if (entry.payload !== undefined && checkOfPayload(entry.payload) !== payloadCheck)
    throw damaged(`the payload of entry ${entry.sequence} does not match its checksum`);
  return entry;
}

/** Returns the row's entry without a check. */
export function toUncheckedEntry(row: Row): Entry {
  const { sequence, parent, kind, version, at_ms: atMs, digest, hash } = row;
  const payload = row["payload"] ?? undefined;
  return { sequence, parent, kind, version, atMs, payload, digest, hash } as Entry;
}

type Row = Record<string, unknown>;

/** Creates an error with the code SQLITE_CORRUPT. The caller, which knows the path, turns it into a `DamagedLogError`. */
function damaged(what: string): Error {
  return Object.assign(new Error(what), { errcode: 11 });
}

/** Runs work in a transaction, and rolls it back if the work throws. */
export function inTransaction<T>(connection: Pick<Connection, "database">, work: () => T): T {
  const { database } = connection;
  // IMMEDIATE takes the write lock before the first read, so that the data cannot change between read and write.
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/** Returns a function that prepares each statement of a connection once. */
export function preparedStatements(database: DatabaseSync): (sql: string) => StatementSync {
  const statements = new Map<string, StatementSync>();
  return (sql) => {
    const found = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, found);
    return found;
  };
}
