import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as others } from "node:timers/promises";
import type { CacheBreak } from "../cost/ledger.ts";
import { EMPTY_LOG, type LogHead } from "../log/entry.ts";
import { readEntries } from "../stores/read.ts";
import { messageOf, sqliteCode } from "../stores/sqlite/errors.ts";
import { preparedStatements } from "../stores/sqlite/log.ts";
import { createPrivateFolder } from "../stores/sqlite/log-file.ts";
import {
  type EventRow,
  foldIndex,
  INDEX_FORMAT,
  INDEX_SCHEMA,
  type IndexDatabase,
  type IndexedEvent,
  type IndexRow,
  type IndexState,
  indexStateAt,
  readIndexHead,
  writeRows,
} from "./index-rows.ts";

import type { InspectedLog } from "./inspected.ts";

/** One request on a timeline, or several that lie close together: then the largest stands for them. */
interface TimelinePoint {
  readonly entry: number;
  readonly atMs: number;
  readonly source: string;
  readonly model: string;
  /** How many requests it stands for. */
  readonly requests: number;
  /** Estimated tokens by source: one number for each of `WINDOW_SOURCES`. */
  readonly window: readonly number[];
  /** What the provider counted for all of them. */
  readonly freshTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly usd: number;
  readonly gapUsd: number;
  readonly breaks: number;
}

/** Entries, both included. @default all */
interface EntryRange {
  readonly from?: number;
  readonly to?: number;
}

interface TimelineOptions extends EntryRange {
  /** At most so many points. @default 500 */
  readonly points?: number;
}

interface PageOptions extends EntryRange {
  /** At most so many rows. @default 200 */
  readonly limit?: number;
}

/** A page of events. `next` is the place of the page behind it. */
interface EventPage {
  readonly events: readonly EventRow[];
  /** Pass it as `from` for the next page; absent on the last page. */
  readonly next?: number;
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

/** What can be asked of an index. None of it reads the log. */
interface IndexQueries {
  totals(): IndexTotals;
  /** The requests of a range, oldest first: each of them, or as many groups of neighbors as there may be points. */
  timeline(options?: TimelineOptions): readonly TimelinePoint[];
  /** What happened in a range, oldest first, page by page. @param kinds @default all */
  events(options?: PageOptions & { readonly kinds?: readonly IndexedEvent[] }): EventPage;
  /** The cache breaks of a range, the most expensive first. */
  breaks(options?: PageOptions): readonly CacheBreak[];
  /** The request at an entry or the nearest one before it; the first one if there is none. */
  requestNear(entry: number): number | undefined;
  /** The requests beside a request. */
  neighbors(request: number): { readonly previous?: number; readonly next?: number };
}

const MAX_POINTS = 500;
const PAGE_ROWS = 200;

type Row = Readonly<Record<string, number & string>>;

function indexQueries(use: <T>(work: (index: IndexDatabase) => T) => T): IndexQueries {
  const all = (sql: string, ...given: readonly (string | number)[]): readonly Row[] =>
    use(({ statement }) => statement(sql).all(...given) as unknown as readonly Row[]);
  const one = (sql: string, ...given: readonly (string | number)[]): Row | undefined => all(sql, ...given)[0];
  /** SQLite takes the other columns of a group from the row with the maximum. */
  const pointOf = (low: number, high: number): TimelinePoint => {
    const {
      "max(tokens)": _,
      window,
      ...point
    } = one(
      `SELECT count(*) AS requests, max(tokens), entry, at_ms AS atMs, source, model, window, total(fresh) AS freshTokens,
        total(cache_read) AS cacheReadTokens, total(cache_write) AS cacheWriteTokens, total(output) AS outputTokens,
        total(usd) AS usd, total(gap_usd) AS gapUsd, count(lost) AS breaks
      FROM requests WHERE ordinal BETWEEN ? AND ?`,
      low,
      high,
    )!;
    return { ...(point as unknown as Omit<TimelinePoint, "window">), window: JSON.parse(window!) };
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

    timeline({ points = MAX_POINTS, ...wanted } = {}) {
      const ends = one(
        "SELECT min(ordinal) AS low, max(ordinal) AS high FROM requests WHERE entry BETWEEN ? AND ?",
        ...range(wanted),
      );
      const { low, high } = ends ?? {};
      if (low == null || high == null) return [];
      const count = high - low + 1;
      const groups = Math.max(1, Math.min(points, count));
      const beginOf = (group: number): number => low + Math.ceil((group * count) / groups);
      // A query for each group, in order of the rows: `GROUP BY` would sort all of them, which takes three times as long.
      return Array.from({ length: groups }, (_, group) => pointOf(beginOf(group), beginOf(group + 1) - 1));
    },

    events({ limit = PAGE_ROWS, kinds, ...wanted } = {}) {
      const named = kinds === undefined ? "" : `AND event IN (SELECT value FROM json_each(?))`;
      const rows = all(
        `SELECT 'event' AS kind, entry, at_ms AS atMs, event, text FROM events WHERE entry BETWEEN ? AND ? ${named} ORDER BY entry LIMIT ?`,
        ...range(wanted),
        ...(kinds === undefined ? [] : [JSON.stringify(kinds)]),
        limit + 1,
      ) as unknown as readonly EventRow[];
      const next = rows[limit]?.entry;
      return { events: rows.slice(0, limit), ...(next === undefined ? {} : { next }) };
    },

    breaks({ limit = PAGE_ROWS, ...wanted } = {}) {
      const rows = all(
        `SELECT lost FROM responses WHERE lost IS NOT NULL AND entry BETWEEN ? AND ?
        ORDER BY lost ->> 'rebilledUsd' DESC, lost ->> 'rebilledTokens' DESC LIMIT ?`,
        ...range(wanted),
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
      return { ...(previous === undefined ? {} : { previous }), ...(next === undefined ? {} : { next }) };
    },
  };
}

/** The index of a log in a SQLite file, for programs that show logs of any size. Node only. */

/** The index of one log: what a timeline needs of it. It can be made again from the log at any time. */
export interface LogIndex extends IndexQueries {
  /** Indexes the entries that are new. Cheap if there are none. */
  update(options?: UpdateOptions): Promise<IndexUpdate>;
  close(): void;
}

/** How to cancel and to follow an update of the index. */
export interface UpdateOptions {
  /** Stops between two batches; what was indexed stays. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { readonly entries: number; readonly ofEntries: number }) => void;
}

/** What an update of the index did. */
export interface IndexUpdate {
  /** `made-anew`: the file was damaged, of another format, or of another log, and was begun again. */
  readonly kind: "current" | "extended" | "made-anew";
  /** Why it was made anew. */
  readonly why?: string;
  readonly entries: number;
  readonly head: LogHead;
}

/** Entries between two transactions, and between two turns of other work in this process. */
const BATCH_ENTRIES = 1_024;
/** Entries read at once. With 256, garbage of a log of 1 GB outlives its batch, and the process takes 100 MB more. */
const READ_ENTRIES = 32;

/**
 * Opens the index of a log, and makes one if there is none. It is current after `update`.
 * @param file where it is kept. @default in memory
 */
export function openLogIndex(inspected: Pick<InspectedLog, "log" | "sharedTo">, file?: string): LogIndex {
  const { log, sharedTo } = inspected;
  let opened: IndexDatabase | undefined;
  let broken: string | undefined;
  let state: IndexState | undefined;

  function connect(): IndexDatabase {
    if (opened !== undefined) return opened;
    const found = openFile(file);
    broken ??= found.why;
    opened = found.index;
    return opened;
  }
  function begin(why: string): void {
    opened?.database.close();
    opened = undefined;
    state = undefined;
    broken = why;
    removeFile(file);
  }
  function use<T>(work: (index: IndexDatabase) => T): T {
    try {
      return work(connect());
    } catch (error) {
      // Damaged, or no database: the next `update` makes it again.
      if (sqliteCode(error) === 11 || sqliteCode(error) === 26) begin(`it was damaged (${messageOf(error)})`);
      throw error;
    }
  }
  /** Where to go on from. An index of another log is given up. */
  async function findHead(): Promise<LogHead> {
    const head = use(readIndexHead);
    if (head.sequence === 0) return hashAt(sharedTo);
    const [entry] = await log.read(head.sequence, head.sequence);
    if (entry?.hash === head.hash) return head;
    begin(`entry ${head.sequence} of the log is not the one that was indexed`);
    connect();
    return hashAt(sharedTo);
  }
  async function hashAt(sequence: number): Promise<LogHead> {
    const [entry] = sequence === 0 ? [] : await log.read(sequence, sequence);
    return entry === undefined ? EMPTY_LOG : { sequence, hash: entry.hash };
  }

  async function extend({ signal, onProgress }: UpdateOptions): Promise<IndexUpdate> {
    const { sequence: end } = await log.head();
    let head = await findHead();
    let entries = 0;
    while (head.sequence < end && signal?.aborted !== true) {
      const started: IndexState =
        state?.at === head.sequence ? state : await indexStateAt(log, head.sequence, sharedTo);
      state = undefined;
      let current = started;
      const rows: IndexRow[] = [];
      let newest = head;
      const last = Math.min(end, head.sequence + BATCH_ENTRIES);
      for await (const entry of readEntries(log, head.sequence + 1, last, READ_ENTRIES)) {
        const folded = await foldIndex(current, entry, log);
        current = folded.state;
        if (folded.row !== undefined) rows.push(folded.row);
        newest = entry;
      }
      if (newest === head) break;
      const before = head.sequence === sharedTo ? EMPTY_LOG : head;
      const next = { sequence: newest.sequence, hash: newest.hash };
      if (use((index) => writeRows(index, rows, { after: before, head: next })) === "elsewhere") {
        head = await findHead();
        continue;
      }
      entries += next.sequence - head.sequence;
      head = next;
      state = current;
      onProgress?.({ entries: head.sequence, ofEntries: end });
      await others();
    }
    const why = broken;
    broken = undefined;
    if (why !== undefined) return { kind: "made-anew", why, entries, head };
    return { kind: entries === 0 ? "current" : "extended", entries, head };
  }

  let running: Promise<unknown> = Promise.resolve();
  return {
    ...indexQueries(use),
    update(options = {}) {
      const attempt = async (): Promise<IndexUpdate> => {
        try {
          return await extend(options);
        } catch (error) {
          // Once more, on a file that was begun anew.
          if (broken === undefined) throw error;
          return extend(options);
        }
      };
      const result = running.then(attempt);
      running = result.catch(() => undefined);
      return result;
    },
    close() {
      opened?.database.close();
      opened = undefined;
    },
  };
}

function openFile(file: string | undefined): { readonly index: IndexDatabase; readonly why?: string } {
  if (file === undefined) return { index: connectTo(":memory:") };
  createPrivateFolder(dirname(file));
  try {
    return { index: connectTo(file) };
  } catch (error) {
    removeFile(file);
    return { index: connectTo(file), why: messageOf(error) };
  }
}

class IndexFormatError extends Error {}

function connectTo(file: string): IndexDatabase {
  const database = new DatabaseSync(file);
  try {
    // Nothing is lost with it but time, so it is not synced.
    database.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; PRAGMA busy_timeout=5000; PRAGMA secure_delete=ON");
    const { user_version: format } = database.prepare("PRAGMA user_version").get() as { user_version: number };
    if (format === 0) {
      database.exec(`BEGIN IMMEDIATE; ${INDEX_SCHEMA} PRAGMA user_version=${INDEX_FORMAT}; COMMIT`);
    } else if (format !== INDEX_FORMAT) {
      throw new IndexFormatError(`it has format ${format}, this release writes ${INDEX_FORMAT}`);
    }
    const index = { database, statement: preparedStatements(database) };
    readIndexHead(index);
    return index;
  } catch (error) {
    database.close();
    throw error;
  }
}

function removeFile(file: string | undefined): void {
  if (file === undefined) return;
  for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
}
