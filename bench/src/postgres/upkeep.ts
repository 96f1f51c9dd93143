import { openPostgres } from "@palimpsest/postgres";
import { type StartedDatabase, startDatabase } from "@palimpsest/postgres/test-server";
import { sealEntries, sha256 } from "palimpsest/core";
import type { Bench } from "../bench.ts";
import { round } from "../statistics.ts";
import { fillSessions, TENANTS } from "./fill-sessions.ts";

const SIZES = {
  full: { sessions: 20_000, writers: 16, appends: 1_500 },
  quick: { sessions: 500, writers: 4, appends: 50 },
} as const;
const DAY_MS = 86_400_000;

/** What appends and deletions leave behind in the tables, and what it takes to be rid of it. */
export const upkeepBench: Bench = {
  name: "upkeep",
  about: "bloat after appends and after sessions expire in PostgreSQL; DELETE against DROP of a part",
  async run({ size }) {
    const { sessions, writers, appends } = SIZES[size];
    // By hand, so that what it would do can be seen.
    const database = await startDatabase({ fsync: "on", settings: { autovacuum: "off", max_wal_size: "8GB" } });
    try {
      await database.admin.query("CREATE ROLE operator LOGIN IN ROLE palimpsest_worker, palimpsest_operator");
      await fillSessions(database.admin, sessions);
      const before = await sizeOf(database, "session");
      await Promise.all(Array.from({ length: writers }, (_, index) => append(database, index, appends)));
      const after = await sizeOf(database, "session");
      const hot = await hotShare(database);

      const { tenants } = openPostgres({ pool: database.connect({ user: "operator", database: "postgres" }) });
      const startedAtMs = performance.now();
      const { deleted } = await tenants.expire({ defaultMs: DAY_MS }, { maxSessions: Number.MAX_SAFE_INTEGER });
      const expireMs = performance.now() - startedAtMs;
      const entry = await sizeOf(database, "entry");
      const vacuumMs = await timed(() => database.admin.query("VACUUM palimpsest.session, palimpsest.entry"));
      const vacuumed = await sizeOf(database, "entry");
      const parts = await compareParts(database, sessions);
      return {
        appends: writers * appends,
        session_hot_share: hot,
        session_bytes_before: before.bytes,
        session_bytes_after: after.bytes,
        expired_sessions: deleted,
        expire_ms_per_1000_sessions: round((expireMs / deleted) * 1_000),
        entry_dead_after_expire: entry.dead,
        entry_bytes_after_expire: entry.bytes,
        vacuum_ms: round(vacuumMs),
        entry_bytes_after_vacuum: vacuumed.bytes,
        ...parts,
      };
    } finally {
      await database.stop();
    }
  },
};

async function append(database: StartedDatabase, index: number, appends: number): Promise<void> {
  const store = openPostgres({ pool: database.workers }).store({ tenant: `tenant-${index % TENANTS}` });
  const opened = await store.openWriter(`busy-${index}`, { owner: "bench" });
  if (opened.kind === "busy") throw new Error("busy");
  let head = await opened.writer.head();
  for (let count = 0; count < appends; count++) {
    const drafts = [{ kind: "message", version: 1, payload: JSON.stringify({ text: "word ".repeat(60) }) }];
    const result = await opened.writer.append(sealEntries(drafts, { head, atMs: 1, digest: sha256 }));
    if (result.kind !== "appended") throw new Error(result.kind);
    head = result.head;
  }
  await store.close();
}

async function sizeOf({ admin, workers }: StartedDatabase, table: string): Promise<{ bytes: number; dead: number }> {
  for (const pool of [workers, admin]) await pool.query("SELECT pg_stat_force_next_flush()");
  await admin.query(`ANALYZE palimpsest.${table}`);
  const { rows } = await admin.query(
    `SELECT pg_table_size('palimpsest.${table}')::float8 AS bytes, n_dead_tup::float8 AS dead FROM pg_stat_user_tables
     WHERE schemaname = 'palimpsest' AND relname = '${table}'`,
  );
  return { bytes: Number(rows[0].bytes), dead: Number(rows[0].dead) };
}

async function hotShare({ admin }: StartedDatabase): Promise<number> {
  const { rows } = await admin.query(
    "SELECT n_tup_hot_upd::float8 / greatest(1, n_tup_upd) AS share FROM pg_stat_user_tables WHERE schemaname = 'palimpsest' AND relname = 'session'",
  );
  return round(Number(rows[0].share));
}

/** The same rows twice, with the indexes of entries: one is emptied row by row, as it would be without parts; the other is dropped. */
async function compareParts(database: StartedDatabase, sessions: number): Promise<Record<string, number>> {
  await fillSessions(database.admin, sessions);
  for (const name of ["by_row", "as_part"]) {
    await database.admin.query(`CREATE TABLE ${name} (LIKE palimpsest.entry INCLUDING ALL)`);
    await database.admin.query(`INSERT INTO ${name} SELECT * FROM palimpsest.entry`);
  }
  await database.admin.query("CHECKPOINT");
  const byRowMs =
    (await timed(() => database.admin.query("DELETE FROM by_row"))) +
    (await timed(() => database.admin.query("VACUUM by_row")));
  const asPartMs = await timed(() => database.admin.query("DROP TABLE as_part"));
  return {
    delete_and_vacuum_ms: round(byRowMs),
    drop_ms: round(asPartMs),
    delete_to_drop: round(byRowMs / asPartMs),
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAtMs = performance.now();
  await work();
  return performance.now() - startedAtMs;
}
