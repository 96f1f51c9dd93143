// The SQLite file of an index: opens it, writes rows, and answers queries.

import { rmSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { CacheBreak } from "../cost/ledger.ts";
import { EMPTY_LOG, type LogHead } from "../log/entry.ts";
import { messageOf } from "../stores/sqlite/errors.ts";
import { createPrivateFolder } from "../stores/sqlite/files.ts";
import { preparedStatements } from "../stores/sqlite/log.ts";
import type { EventRow, IndexedEvent, IndexRow } from "./index-rows.ts";

/** An open index file. */
export interface IndexDatabase {
  readonly database: DatabaseSync;
  readonly statement: (sql: string) => StatementSync;
}

/** Opens an index file, or creates one. Replaces a file that cannot be opened. @returns `why`: the reason for a replacement */
export function openFile(file: string | undefined): { readonly index: IndexDatabase; readonly why?: string } {
  if (file === undefined) return { index: connectTo(":memory:") };
  createPrivateFolder(dirname(file));
  try {
    return { index: connectTo(file) };
  } catch (error) {
    removeFile(file);
    return { index: connectTo(file), why: messageOf(error) };
  }
}

function connectTo(file: string): IndexDatabase {
  // Not an import: readers of logs that need no index also run where node:sqlite is missing, such as in Bun.
  const sqlite = process.getBuiltinModule("node:sqlite");
  const database = new sqlite.DatabaseSync(file);
  try {
    // The index can be rebuilt from the log, so writes are not synced.
    database.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; PRAGMA busy_timeout=5000; PRAGMA secure_delete=ON");
    const { user_version: format } = database.prepare("PRAGMA user_version").get() as { user_version: number };
    if (format === 0) {
      database.exec(`BEGIN IMMEDIATE; ${INDEX_SCHEMA} PRAGMA user_version=${INDEX_FORMAT}; COMMIT`);
    } else if (format !== INDEX_FORMAT) {
      throw new IndexFormatError(`it has format ${format}, but this release writes format ${INDEX_FORMAT}`);
    }
    const index = { database, statement: preparedStatements(database) };
    readIndexHead(index);
    return index;
  } catch (error) {
    database.close();
    throw error;
  }
}

class IndexFormatError extends Error {}

/** Increases when the tables or the meaning of a column change. An index with another format is rebuilt. */
const INDEX_FORMAT = 1;

const INDEX_SCHEMA: string = `
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

/** Removes an index file with its -wal and -shm. */
export function removeFile(file: string | undefined): void {
  if (file === undefined) return;
  for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
}

/** Returns the number and the hash of the newest indexed entry. */
export function readIndexHead({ statement }: IndexDatabase): LogHead {
  const row: object | undefined = statement("SELECT sequence, hash FROM head").get();
  return (row as LogHead | undefined) ?? EMPTY_LOG;
}

/** Writes rows and the new head in one transaction. `elsewhere`: another process has written since, so nothing was written. */
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
      // Erases the text in the index, too.
      if (row.event === "erased") statement("UPDATE events SET text = '' WHERE entry = ?").run(Number(row.text));
  }
}

/** The queries of an index. No query reads the log. */
export interface IndexQueries {
  totals(): IndexTotals;
  /** Returns the requests of a range, oldest first: one point each, or groups of neighbors if there are more requests than points. */
  timeline(options?: TimelineOptions): readonly TimelinePoint[];
  /** Returns the events of a range, oldest first, page by page. @param kinds @default all */
  events(options?: PageOptions & { readonly kinds?: readonly IndexedEvent[] }): EventPage;
  /** Returns the cache breaks of a range, the most expensive first. */
  breaks(options?: PageOptions): readonly CacheBreak[];
  /** Returns the request at an entry or the nearest request before it; otherwise the first request. */
  requestNear(entry: number): number | undefined;
  /** Returns the previous and the next request. */
  neighbors(request: number): { readonly previous?: number; readonly next?: number };
}

/** Sums over a whole log. */
interface IndexTotals {
  readonly head: LogHead;
  readonly requests: number;
  readonly responses: number;
  readonly usd: number;
  readonly gapUsd: number;
  readonly breaks: number;
  readonly boundaries: number;
  readonly firstAtMs?: number;
  readonly lastAtMs?: number;
}

/** One request on a timeline, or a group of neighbors, which the largest request represents. */
interface TimelinePoint {
  readonly entry: number;
  readonly atMs: number;
  readonly source: string;
  readonly model: string;
  /** The number of requests in the group. */
  readonly requests: number;
  /** Estimated tokens by source: one number for each of `WINDOW_SOURCES`. */
  readonly window: readonly number[];
  /** Sums over all requests of the group, as the provider counted them. */
  readonly freshTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly usd: number;
  readonly gapUsd: number;
  readonly breaks: number;
}

/** A range of entries, both ends included. @default all */
interface EntryRange {
  readonly from?: number;
  readonly to?: number;
}

interface TimelineOptions extends EntryRange {
  /** The maximum number of points. @default 500 */
  readonly points?: number;
}

interface PageOptions extends EntryRange {
  /** The maximum number of rows. @default 200 */
  readonly limit?: number;
}

/** A page of events. */
interface EventPage {
  readonly events: readonly EventRow[];
  /** Pass it as `from` for the next page; absent on the last page. */
  readonly next?: number;
}

/** Creates the queries of an index. */
export function indexQueries(use: <T>(work: (index: IndexDatabase) => T) => T): IndexQueries {
  const all = <Found extends object = Row>(sql: string, ...values: readonly (string | number)[]): readonly Found[] => {
    const rows: readonly object[] = use(({ statement }) => statement(sql).all(...values));
    return rows as readonly Found[];
  };
  const one = <Found extends object = Row>(sql: string, ...values: readonly (string | number)[]): Found | undefined =>
    all<Found>(sql, ...values)[0];
  /** SQLite takes the other columns of a group from the row with the maximum. */
  const pointOf = (low: number, high: number): TimelinePoint => {
    const {
      "max(tokens)": _,
      window,
      ...point
    } = one<PointRow>(
      `SELECT count(*) AS requests, max(tokens), entry, at_ms AS atMs, source, model, window, total(fresh) AS freshTokens,
        total(cache_read) AS cacheReadTokens, total(cache_write) AS cacheWriteTokens, total(output) AS outputTokens,
        total(usd) AS usd, total(gap_usd) AS gapUsd, count(lost) AS breaks
      FROM requests WHERE ordinal BETWEEN ? AND ?`,
      low,
      high,
    )!;
    return { ...point, window: JSON.parse(window) };
  };
  const range = ({ from = 0, to = Number.MAX_SAFE_INTEGER }: EntryRange): readonly [number, number] => [from, to];

  return {
    totals() {
      const requests = one("SELECT count(*) AS requests, min(at_ms) AS first, max(at_ms) AS last FROM requests")!;
      const spent = one(`SELECT count(*) AS responses, total(usd) AS usd, total(gap_usd) AS gapUsd,
        count(lost) AS breaks FROM responses`)!;
      const boundaries = one("SELECT count(*) AS boundaries FROM events WHERE event = 'boundary'")!;
      return {
        head: use(readIndexHead),
        requests: requests["requests"]!,
        responses: spent["responses"]!,
        usd: spent["usd"]!,
        gapUsd: spent["gapUsd"]!,
        breaks: spent["breaks"]!,
        boundaries: boundaries["boundaries"]!,
        ...(requests["requests"] === 0 ? {} : { firstAtMs: requests["first"]!, lastAtMs: requests["last"]! }),
      };
    },

    timeline({ points = MAX_POINTS, ...bounds } = {}) {
      const ends = one(
        "SELECT min(ordinal) AS low, max(ordinal) AS high FROM requests WHERE entry BETWEEN ? AND ?",
        ...range(bounds),
      );
      const { low, high } = ends ?? {};
      if (low == null || high == null) return [];
      const count = high - low + 1;
      const groups = Math.max(1, Math.min(points, count));
      const beginOf = (group: number): number => low + Math.ceil((group * count) / groups);
      // One query per group, in the order of the rows: `GROUP BY` would sort all rows, which takes three times as long.
      return Array.from({ length: groups }, (_, group) => pointOf(beginOf(group), beginOf(group + 1) - 1));
    },

    events({ limit = PAGE_ROWS, kinds, ...bounds } = {}) {
      const named = kinds === undefined ? "" : `AND event IN (SELECT value FROM json_each(?))`;
      const rows = all<EventRow>(
        `SELECT 'event' AS kind, entry, at_ms AS atMs, event, text FROM events WHERE entry BETWEEN ? AND ? ${named} ORDER BY entry LIMIT ?`,
        ...range(bounds),
        ...(kinds === undefined ? [] : [JSON.stringify(kinds)]),
        limit + 1,
      );
      const next = rows[limit]?.entry;
      return { events: rows.slice(0, limit), next };
    },

    breaks({ limit = PAGE_ROWS, ...bounds } = {}) {
      const rows = all(
        `SELECT lost FROM responses WHERE lost IS NOT NULL AND entry BETWEEN ? AND ?
        ORDER BY lost ->> 'rebilledUsd' DESC, lost ->> 'rebilledTokens' DESC LIMIT ?`,
        ...range(bounds),
        limit,
      );
      return rows.map(({ lost }) => JSON.parse(lost!) as CacheBreak);
    },

    requestNear(entry) {
      const before = one("SELECT entry FROM requests WHERE entry <= ? ORDER BY entry DESC LIMIT 1", entry);
      return (before ?? one("SELECT entry FROM requests ORDER BY entry LIMIT 1"))?.["entry"];
    },

    neighbors(request) {
      const previous = one("SELECT entry FROM requests WHERE entry < ? ORDER BY entry DESC LIMIT 1", request)?.[
        "entry"
      ];
      const next = one("SELECT entry FROM requests WHERE entry > ? ORDER BY entry LIMIT 1", request)?.["entry"];
      return { previous, next };
    },
  };
}

type Row = Readonly<Record<string, number & string>>;

/** A group of requests; `window` is JSON. */
interface PointRow extends Omit<TimelinePoint, "window"> {
  readonly window: string;
  readonly "max(tokens)": number;
}

const MAX_POINTS = 500;
const PAGE_ROWS = 200;
