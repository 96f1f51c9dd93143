import type { Pool } from "@palimpsest/postgres";
import type { Store } from "palimpsest";
import { EMPTY_LOG, type LogHead } from "palimpsest/core";
import { median, round } from "../statistics.ts";
import { appendKinds } from "./append-kinds.ts";
import { openEnd } from "./open-end.ts";

const OPENINGS = 40;
const ENTRIES_PER_APPEND = 500;
/** What a compacted session keeps behind its boundary. */
const KEPT_ENTRIES = 20;

export interface Shapes {
  /** One session that is written to without a pause: the time of an append at the end, compared with the beginning. */
  readonly hot: {
    readonly appends: number;
    readonly per_second: number;
    readonly end_to_beginning: number;
    /** What each append adds to the write-ahead log. */
    readonly wal_bytes: number;
  };
  /** A compacted session: the time to open it, compared with one of 20 entries. */
  readonly long: { readonly entries: number; readonly opening_ratio: number };
}

/** Sessions that are unlike the others. */
export async function measureShapes(
  store: Store,
  { hotAppends, longEntries, pool }: { readonly hotAppends: number; readonly longEntries: number; readonly pool: Pool },
): Promise<Shapes> {
  return { hot: await measureHot(store, pool, hotAppends), long: await measureLong(store, longEntries) };
}

async function measureHot(store: Store, pool: Pool, appends: number): Promise<Shapes["hot"]> {
  const { writer } = await openEnd(store, "hot", 0);
  const times: number[] = [];
  let head: LogHead = EMPTY_LOG;
  const walBefore = await walBytes(pool);
  for (let count = 0; count < appends; count++) {
    const startMs = performance.now();
    head = await appendKinds(writer, head, ["message"]);
    times.push(performance.now() - startMs);
  }
  const wal = Math.round(((await walBytes(pool)) - walBefore) / appends);
  await writer.close();
  const tenth = Math.ceil(appends / 10);
  const [beginning, end] = [median(times.slice(0, tenth)), median(times.slice(-tenth))];
  return {
    appends,
    per_second: round(1_000 / median(times)),
    end_to_beginning: round(end / beginning),
    wal_bytes: wal,
  };
}

async function walBytes(pool: Pool): Promise<number> {
  const { rows } = await pool.query("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS bytes");
  return Number((rows[0] as { readonly bytes: number }).bytes);
}

async function measureLong(store: Store, entries: number): Promise<Shapes["long"]> {
  for (const [session, before] of [
    ["long", entries],
    ["short", 0],
  ] as const) {
    const { writer } = await openEnd(store, session, 0);
    let head: LogHead = EMPTY_LOG;
    for (let written = 0; written < before; written += ENTRIES_PER_APPEND)
      head = await appendKinds(
        writer,
        head,
        Array.from({ length: ENTRIES_PER_APPEND }, () => "message"),
      );
    head = await appendKinds(writer, head, ["boundary", ...Array.from({ length: KEPT_ENTRIES - 1 }, () => "message")]);
    await writer.close();
  }
  const times = { long: [] as number[], short: [] as number[] };
  for (let opening = 0; opening < OPENINGS; opening++) {
    // Whoever comes first finds another machine: a disk that has just been synced.
    const order = opening % 2 === 0 ? (["long", "short"] as const) : (["short", "long"] as const);
    for (const session of order) {
      const startMs = performance.now();
      const { writer } = await openEnd(store, session, KEPT_ENTRIES);
      times[session].push(performance.now() - startMs);
      await writer.close();
    }
  }
  return { entries, opening_ratio: round(median(times.long) / median(times.short)) };
}
