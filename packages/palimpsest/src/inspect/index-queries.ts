import type { CacheBreak } from "../cost/ledger.ts";
import type { LogHead } from "../log/entry.ts";
import type { EventRow, IndexedEvent } from "./index-rows.ts";
import { type IndexDatabase, readIndexHead } from "./index-tables.ts";

/** One request on a timeline, or several that lie close together: then the largest stands for them. */
export interface TimelinePoint {
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
export interface EntryRange {
  readonly from?: number;
  readonly to?: number;
}

export interface TimelineOptions extends EntryRange {
  /** At most so many points. @default 500 */
  readonly points?: number;
}

export interface PageOptions extends EntryRange {
  /** At most so many rows. @default 200 */
  readonly limit?: number;
}

/** A page of events. `next` is the place of the page behind it. */
export interface EventPage {
  readonly events: readonly EventRow[];
  /** Pass it as `from` for the next page; absent on the last page. */
  readonly next?: number;
}

/** Sums over a whole log. */
export interface IndexTotals {
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
export interface IndexQueries {
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

export function indexQueries(use: <T>(work: (index: IndexDatabase) => T) => T): IndexQueries {
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
