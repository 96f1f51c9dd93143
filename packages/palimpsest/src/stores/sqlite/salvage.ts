import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Entry } from "../../log/entry.ts";
import { messageOf } from "./errors.ts";
import { type PageSource, readIndexLeaf, readTableLeaf, type TableRow } from "./file-format.ts";
import type { Findings, SalvageProblem } from "./findings.ts";
import { toEntry } from "./log.ts";
import { checkOfRow, ENTRY_COLUMNS, PAGE_SIZE_BYTES } from "./sqlite-schema.ts";
import { readWal, type WalFrame } from "./sqlite-wal.ts";

const COLUMNS = ENTRY_COLUMNS.split(", ").length;

/** Adds the rows that SQLite can read, from the beginning and from the end, each up to the first unreadable page. */
export function readBySqlite(path: string, found: Findings): SalvageProblem[] {
  const problems: SalvageProblem[] = [];
  if (!existsSync(path)) return problems;
  let wrong = 0;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    // The file is a copy, so no sync is necessary.
    database.exec("PRAGMA synchronous=OFF; PRAGMA cell_size_check=ON; PRAGMA trusted_schema=OFF");
    for (const order of ["ASC", "DESC"]) {
      try {
        const rows = database.prepare(`SELECT ${ENTRY_COLUMNS} FROM entry ORDER BY sequence ${order}`).iterate();
        for (const row of rows) if (!isAdded(row, found)) wrong++;
        break;
      } catch (error) {
        problems.push({ kind: "sqlite", detail: messageOf(error) });
      }
    }
  } catch (error) {
    problems.push({ kind: "sqlite", detail: messageOf(error) });
  } finally {
    if (database?.isOpen) database.close();
  }
  if (wrong > 0) problems.push({ kind: "sqlite", detail: `${wrong} rows do not match their checksum` });
  return problems;
}

/**
 * Adds the rows on any page of the file and of its -wal, in any version: an entry never changes, so an old version of a
 * page is as good as a new one. Uses the page size of all logs, even if a damaged header names another.
 */
export function readByBytes(path: string, found: Findings): SalvageProblem[] {
  const problems: SalvageProblem[] = [];
  const { frames, damaged } = existsSync(`${path}-wal`)
    ? readWal(readFileSync(`${path}-wal`))
    : { frames: [], damaged: [] };
  const newest = new Map(frames.map((frame) => [frame.page, frame.bytes]));
  const pages = openPages(path);
  try {
    const source: PageSource = (page) => newest.get(page) ?? pages.read(page);
    for (const frame of frames.toReversed())
      problems.push(...readPage(frame.bytes, { number: frame.page, source, found }));
    for (let number = 1; number <= pages.count; number++) {
      const page = pages.read(number);
      if (page !== undefined) problems.push(...readPage(page, { number, source, found }));
    }
    problems.push(...readDamagedFrames(damaged, { source, found }));
  } finally {
    pages.close();
  }
  return problems;
}

function readDamagedFrames(
  damaged: readonly WalFrame[],
  { source, found }: { source: PageSource; found: Findings },
): SalvageProblem[] {
  const suspects = new Map(damaged.map((frame) => [frame.page, frame.bytes]));
  return damaged.map((frame) => {
    readPage(frame.bytes, { number: frame.page, source, found });
    readPage(frame.bytes, { number: frame.page, source: (page) => suspects.get(page) ?? source(page), found });
    return {
      kind: "wal-frame",
      number: frame.index,
      detail: `frame ${frame.index} of the -wal is not what was written`,
    };
  });
}

interface ReadPageOptions {
  readonly number: number;
  readonly source: PageSource;
  readonly found: Findings;
}

function readPage(page: Uint8Array, { number, source, found }: ReadPageOptions): SalvageProblem[] {
  for (const sequence of readIndexLeaf(page)) found.indexed.add(sequence);
  const { rows, unlisted, unreadable } = readTableLeaf(page, { number, source, columns: COLUMNS });
  let damaged = unreadable;
  for (const row of rows) {
    const entry = entryOf(row);
    if (entry === undefined) damaged++;
    else found.add(entry);
  }
  for (const row of unlisted) {
    const entry = entryOf(row);
    if (entry !== undefined) found.add(entry);
  }
  return damaged === 0 ? [] : [{ kind: "page", number, detail: `${damaged} rows on page ${number} cannot be read` }];
}

/** Returns the row as an entry if its checksum matches; rows of other tables have none. */
function entryOf({ rowid: sequence, values }: TableRow): Entry | undefined {
  const [alias, parent, kind, version, atMs, digest, hash, payloadCheck, check, payload] = values;
  // SQLite stores an integer primary key only as the row's key, so the column itself is null.
  if (alias !== null || (payload !== null && typeof payload !== "string")) return undefined;
  const entry = { sequence, parent, kind, version, atMs, payload: payload ?? undefined, digest, hash } as Entry;
  return checkOfRow(entry, payloadCheck as number) === check ? entry : undefined;
}

function isAdded(row: Record<string, unknown>, found: Findings): boolean {
  try {
    found.add(toEntry(row));
    return true;
  } catch {
    // The checksum does not match.
    return false;
  }
}

function openPages(path: string): { count: number; read(page: number): Uint8Array | undefined; close(): void } {
  if (!existsSync(path)) return { count: 0, read: () => undefined, close: () => {} };
  const file = openSync(path, "r");
  const count = Math.ceil(fstatSync(file).size / PAGE_SIZE_BYTES);
  return {
    count,
    read(page) {
      if (page < 1 || page > count) return undefined;
      // If the file was cut within a page, the rest is zeros: that part may have been unused.
      const bytes = new Uint8Array(PAGE_SIZE_BYTES);
      readSync(file, bytes, 0, PAGE_SIZE_BYTES, (page - 1) * PAGE_SIZE_BYTES);
      return bytes;
    },
    close: () => closeSync(file),
  };
}
