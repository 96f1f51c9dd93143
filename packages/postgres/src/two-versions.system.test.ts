import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Store } from "palimpsest";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import type * as release from "./index.ts";
import { migrate, planMigrations } from "./migrate.ts";
import { MIGRATIONS } from "./migrations/migrations.ts";
import { openPostgres } from "./open-postgres.ts";
import { findPrograms } from "./test-server/start-postgres.ts";
import { auditLogs, keepWriting, nothingAcknowledged, untilWritten } from "./testing/keep-writing.ts";
import { type EmptyServer, startEmptyServer } from "./testing/start-empty-server.ts";

/** The newest migration whose functions the logs and results of the release before call. */
const STORE_NEEDS = 10;
const OLDER = new URL("./testing/older-release.mjs", import.meta.url).href;

let server: EmptyServer;
let older: Pick<typeof release, "migrate" | "openPostgres">;

beforeAll(async () => {
  older = await import(OLDER);
  server = await startEmptyServer();
});

afterAll(() => server.stop());

test("both releases write the same sessions while the schema is migrated: nothing is lost, rewritten or stands still", async () => {
  const admin = await server.createDatabase("shared");
  const { pending } = await planMigrations(admin);
  for (const { number, sql } of pending) if (number <= STORE_NEEDS) await admin.query(sql);
  await admin.query("CREATE ROLE service LOGIN IN ROLE palimpsest_worker");
  const workers = server.connect("shared", "service");
  const sessions = ["a", "b", "c"];
  const told = nothingAcknowledged();
  const stores = {
    older: older.openPostgres({ pool: workers }).store({ tenant: "t" }),
    newer: openPostgres({ pool: workers }).store({ tenant: "t" }),
  };
  // Both run on an older schema first, as they do when a rollout comes before its migration.
  const writing = Object.entries(stores).map(([owner, store]) => keepWriting(store, { owner, sessions, told }));
  await untilWritten(told, 40);
  const before = await filesOf(admin);
  told.longestAppendMs = 0;
  const { before: from, version } = await migrate(admin);
  const longestMs = told.longestAppendMs;
  await untilWritten(told, 40);
  for (const one of writing) await one.stop();

  expect({ from, version }).toEqual({ from: STORE_NEEDS, version: MIGRATIONS.length });
  for (const store of Object.values(stores))
    expect(await auditLogs(store, sessions, told)).toEqual({ lost: 0, changed: 0, broken: 0, doubleWriters: 0 });
  // A rewrite gives a table a new file, and an index on a table that stands there keeps writers out while it is built.
  expect(await filesOf(admin), "a migration rewrote a table, or indexed one that was there").toMatchObject(before);
  // The lock timeout, and room for a machine that is busy.
  expect(longestMs).toBeLessThan(10_000);
});

test("each release reads, describes, expires and deletes what the other wrote", async () => {
  const admin = await server.createDatabase("mixed");
  await older.migrate(admin);
  await migrate(admin);
  for (const [tenant, ...openers] of [
    ["older-first", older.openPostgres, openPostgres],
    ["newer-first", openPostgres, older.openPostgres],
  ] as const) {
    const [writer, reader] = openers.map((open) => open({ pool: admin }).store({ tenant })) as [Store, Store];
    const told = nothingAcknowledged();
    const writing = keepWriting(writer, { owner: "first", sessions: ["s"], told });
    await untilWritten(told, 10);
    await writing.stop();
    await writer.setMetadata("s", { title: "of the first" });
    const draft = await writer.results.create("s");
    await draft.write(new TextEncoder().encode("a result"));
    const { file } = await draft.keep("txt");

    expect(await auditLogs(reader, ["s"], told)).toMatchObject({ lost: 0, changed: 0, broken: 0 });
    expect(await reader.readMetadata("s")).toEqual({ title: "of the first" });
    expect((await reader.results.find("s", file))?.bytes).toBe(8);
    const found = await reader.openReader("s");
    const batch = await found!.readBatch({ newest: ["first"], tail: { since: "none", limit: 5 } });
    expect(batch.entries).toHaveLength(5);
    expect(await reader.expire({ silentSinceMs: 0 })).toEqual({ deleted: [], kept: [] });
    expect(await reader.delete("s")).toEqual({ kind: "deleted" });
    expect(await writer.openReader("s")).toBeUndefined();
  }
});

/**
 * A function that was released keeps its name, its parameters and its result: running services of the release before call it. One that
 * has to change comes under a new name (`append_2`); the old one is dropped by a later release, and named here.
 */
const DROPPED: readonly string[] = [];

test("no function of the release before has changed its parameters or its result, or is gone", async () => {
  const signatures = async (pool: pg.Pool) => {
    const { rows } = await pool.query(
      `SELECT proname || '(' || pg_get_function_arguments(oid) || ') -> ' || pg_get_function_result(oid) AS signature
       FROM pg_proc WHERE pronamespace = 'palimpsest'::regnamespace ORDER BY 1`,
    );
    return rows.map(({ signature }) => String(signature));
  };
  const [before, now] = [
    await server.createDatabase("signatures_before"),
    await server.createDatabase("signatures_now"),
  ];
  await older.migrate(before);
  await migrate(now);
  const kept = new Set(await signatures(now));
  const gone = (await signatures(before)).filter((one) => !kept.has(one) && !DROPPED.includes(one.split("(")[0]!));
  expect(gone, "add a function with a new name, such as append_2, and leave this one as it is").toEqual([]);
});

const HINT =
  "put the change into a migration of its own; before the first release, run node scripts/freeze-postgres.ts";

test("a migration that was released has not changed: an updated database is the same as a new one", async () => {
  const [updated, fresh] = [await server.createDatabase("updated"), await server.createDatabase("fresh")];
  await older.migrate(updated);
  await migrate(updated);
  await migrate(fresh);
  expect(dump("updated"), HINT).toBe(dump("fresh"));
});

/** The file of every table and index that holds something. */
async function filesOf(pool: pg.Pool): Promise<Readonly<Record<string, unknown>>> {
  const { rows } = await pool.query(
    `SELECT relname, relfilenode, ARRAY(SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = pg_class.oid ORDER BY 1) AS indexes
     FROM pg_class WHERE relnamespace = 'palimpsest'::regnamespace AND relkind = 'r'`,
  );
  return Object.fromEntries(rows.map(({ relname, ...one }) => [relname, one]));
}

function dump(database: string): string {
  const args = ["--schema-only", "--host", server.host, "--username", "postgres", database];
  const text = execFileSync(join(findPrograms(), "pg_dump"), args, { encoding: "utf8" });
  // Newer programs begin and end with a key that differs every time.
  return text.replaceAll(/^\\(un)?restrict .*$/gm, "");
}
