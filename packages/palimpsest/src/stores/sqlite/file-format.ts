// The format of a log file: its header, tables, triggers and checksums.

import { crc32 } from "node:zlib";
import { PathError } from "../../errors.ts";
import type { Entry } from "../../log/entry.ts";

/** "PaLo" in the file's header (offset 68) marks a file of this program. */
export const APPLICATION_ID = 0x50_61_4c_6f;

/** `user_version` in the file's header (offset 60). A file with a higher number is refused. */
export const FORMAT_VERSION = 1;

/** The page size is fixed, so that salvage does not depend on a damaged header. One damaged page costs the entries on 4 KiB. */
export const PAGE_SIZE_BYTES = 4096;

/** The columns of `entry` in the order of the table and of the records in the file. */
export const ENTRY_COLUMNS = "sequence, parent, kind, version, at_ms, digest, hash, payload_crc32, row_crc32, payload";

/**
 * The database itself keeps the log append-only, for any program that opens the file: entries can only be added at the end, and only
 * the payload of an entry can be erased. `last_sequence` reveals a lost end of the table. `beat` names the heartbeat of the writer's
 * store. The payload is the last column, because SQLite must read through it to reach later columns.
 */
export const SCHEMA: readonly string[] = [
  `CREATE TABLE entry (
  sequence INTEGER PRIMARY KEY,
  parent INTEGER NOT NULL,
  kind TEXT NOT NULL,
  version INTEGER NOT NULL,
  at_ms REAL NOT NULL,
  digest TEXT NOT NULL,
  hash TEXT NOT NULL,
  payload_crc32 INTEGER NOT NULL,
  row_crc32 INTEGER NOT NULL,
  payload TEXT
) STRICT`,
  "CREATE INDEX entry_by_kind ON entry (kind)",
  `CREATE TABLE writer (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  fence INTEGER NOT NULL,
  owner TEXT NOT NULL,
  active_at_ms REAL NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'closed')),
  last_sequence INTEGER NOT NULL,
  beat TEXT NOT NULL
) STRICT`,
  `CREATE TRIGGER entry_is_next BEFORE INSERT ON entry
WHEN NEW.sequence IS NOT (SELECT coalesce(max(sequence), 0) + 1 FROM entry)
BEGIN SELECT RAISE(ABORT, 'entries are only added at the end of the log'); END`,
  `CREATE TRIGGER entry_stays BEFORE DELETE ON entry
BEGIN SELECT RAISE(ABORT, 'entries are never deleted'); END`,
  `CREATE TRIGGER entry_is_only_erased BEFORE UPDATE ON entry
WHEN NOT (NEW.payload IS NULL AND NEW.sequence IS OLD.sequence AND NEW.parent IS OLD.parent AND NEW.kind IS OLD.kind
  AND NEW.version IS OLD.version AND NEW.at_ms IS OLD.at_ms AND NEW.digest IS OLD.digest AND NEW.hash IS OLD.hash
  AND NEW.payload_crc32 IS OLD.payload_crc32 AND NEW.row_crc32 IS OLD.row_crc32)
BEGIN SELECT RAISE(ABORT, 'entries never change; only a payload can be erased'); END`,
  `CREATE TRIGGER writer_stays BEFORE DELETE ON writer
BEGIN SELECT RAISE(ABORT, 'the writer row is never deleted'); END`,
  `CREATE TRIGGER fence_never_falls BEFORE UPDATE ON writer WHEN NEW.fence < OLD.fence
BEGIN SELECT RAISE(ABORT, 'a fence never falls'); END`,
  "CREATE TRIGGER writer_is_one BEFORE INSERT ON writer WHEN (SELECT count(*) FROM writer) > 0\nBEGIN SELECT RAISE(ABORT, 'there is one writer row'); END",
];

/** Inserts the writer row of an empty log. */
export const FIRST_WRITER =
  "INSERT INTO writer (id, fence, owner, active_at_ms, state, last_sequence, beat) VALUES (1, 0, '', 0, 'closed', 0, '')";

/**
 * The search index. The first search creates it. It is not part of the format, because it can be rebuilt from the entries. Results are
 * not ranked, so FTS5 does not need the number of words per entry (`columnsize=0`).
 */
export const SEARCH_SCHEMA: readonly string[] = [
  "CREATE VIRTUAL TABLE search USING fts5(words, content='', columnsize=0, tokenize='ascii')",
  `CREATE TABLE search_state (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  version INTEGER NOT NULL,
  through INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT`,
];

export const DROP_SEARCH = "DROP TABLE IF EXISTS search; DROP TABLE IF EXISTS search_state";

/**
 * Returns the checksum of a row. SQLite has no checksums. With them, each row can be verified, even if the previous rows and so the
 * chain are lost: JSON alone detects only half of the cases with 1 to 4 overwritten bytes (measured: 51%). The payload has a separate
 * checksum, so that the row stays valid when its payload is erased.
 */
export function checkOfRow(entry: Omit<Entry, "payload">, payloadCheck: number): number {
  const { sequence, parent, kind, version, atMs, digest, hash } = entry;
  return crc32(JSON.stringify([sequence, parent, kind, version, atMs, digest, hash, payloadCheck]));
}

/** Returns the checksum of a payload; 0 for an erased payload. */
export function checkOfPayload(payload: string | undefined): number {
  return payload === undefined ? 0 : crc32(payload);
}

/** The header of a file names another program, or a later version of this one. The file was not changed. */
export abstract class FileFormatError extends PathError {
  readonly applicationId: number;
  readonly formatVersion: number;

  constructor(path: string, found: { applicationId: number; formatVersion: number; remedy: string }) {
    super(
      path,
      `${path} is marked with application id ${found.applicationId} and format ${found.formatVersion}: ${found.remedy}`,
    );
    this.applicationId = found.applicationId;
    this.formatVersion = found.formatVersion;
  }
}
