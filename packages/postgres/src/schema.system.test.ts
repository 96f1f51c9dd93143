import { randomUUID } from "node:crypto";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPostgresCoordination } from "./coordination/open-postgres-coordination.ts";
import { openPostgresDispatch } from "./dispatch/open-postgres-dispatch.ts";
import { localKeyRing } from "./key-ring/envelope-key-ring.ts";
import { openPostgresMemory } from "./memory/open-postgres-memory.ts";
import { migrate } from "./migrate.ts";
import { MIGRATIONS } from "./migrations/migrations.ts";
import { openPostgres } from "./open-postgres.ts";
import { type StartedDatabase, startDatabase, tablesOfTenants } from "./test-server/start-database.ts";
import { sealed } from "./testing/sealed.ts";
import { postgresTokens } from "./tokens/postgres-tokens.ts";

let database: StartedDatabase;

beforeAll(async () => {
  database = await startDatabase();
});

afterAll(() => database.stop());

async function writeSession(tenant: string, session = "s"): Promise<void> {
  const store = openPostgres({ pool: database.workers }).store({ tenant });
  const opened = await store.openWriter(session, { owner: "test" });
  if (opened.kind === "busy") throw new Error("busy");
  await opened.writer.append(sealed(["one", "two", "three"]));
  const draft = await store.results.create(session);
  await draft.write(new TextEncoder().encode(`a result of ${tenant}`));
  await draft.keep("txt");
  await localKeyRing({ pool: database.workers, masterKey: new Uint8Array(32) }).current(tenant);
  await database.workers.query("SELECT palimpsest.begin_object($1, $2, gen_random_uuid(), NULL)", [tenant, session]);
  await store.setMetadata(session, { title: `of ${tenant}` });
  await store.close();
  const memory = openPostgresMemory({ pool: database.workers, tenant, name: session });
  const topic = {
    slug: "a",
    name: "A",
    description: `of ${tenant}`,
    type: "user",
    body: `A fact of ${tenant}.`,
  } as const;
  await memory.write(topic, "user", "none");
  await memory.noteUse(["a"]);
  const { leases, budgets, mailboxes } = openPostgresCoordination({ pool: database.workers, tenant });
  await leases.take("work", { owner: "test" });
  await budgets.daily("work", 100).spend(1);
  const registered = await mailboxes.register({ team: "team", name: "agent", session });
  if (registered.kind === "registered") await registered.mailbox.send({ id: "m", to: "agent", body: `of ${tenant}` });
  const { schedule, inbox, approvals, events } = openPostgresDispatch({ pool: database.workers }).tenant(tenant);
  await schedule.wake(session);
  await inbox.add(session, { key: "k", payload: `of ${tenant}` });
  await approvals.ask({
    sessionId: session,
    callId: "call",
    tool: "pay",
    input: tenant,
    expiresAtMs: Date.now() + 60_000,
  });
  await events.publish(session, [`of ${tenant}`]);
  await postgresTokens({ pool: database.workers }).add({
    tenant,
    id: session,
    name: `of ${tenant}`,
    scopes: [],
    digest: "",
    createdAtMs: 0,
  });
}

/** Runs statements as one tenant, in one transaction that is taken back. */
async function asTenant(pool: pg.Pool, tenant: string, sql: string): Promise<pg.QueryResult> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query("SELECT set_config('palimpsest.tenant', $1, true)", [tenant]);
    return await client.query(sql);
  } finally {
    await client.query("ROLLBACK");
    client.release();
  }
}

describe("entries", () => {
  test("are kept against a worker by grants", async () => {
    const tenant = randomUUID();
    await writeSession(tenant);
    for (const sql of [
      "DELETE FROM palimpsest.entry",
      "DELETE FROM palimpsest.session",
      "DELETE FROM palimpsest.approval",
      "DELETE FROM palimpsest.inbox",
      "UPDATE palimpsest.inbox SET number = 1",
      "UPDATE palimpsest.approval SET input = '{}'",
      "TRUNCATE palimpsest.entry",
      "UPDATE palimpsest.entry SET kind = 'x'",
      "UPDATE palimpsest.entry SET hash = ''",
      "UPDATE palimpsest.session SET name = 'other'",
      "UPDATE palimpsest.session SET number = 1",
      "ALTER TABLE palimpsest.entry DISABLE TRIGGER ALL",
      "ALTER TABLE palimpsest.entry DISABLE ROW LEVEL SECURITY",
      "DROP TABLE palimpsest.entry",
      "SET LOCAL ROLE palimpsest_owner",
    ])
      await expect(asTenant(database.workers, tenant, sql), sql).rejects.toMatchObject({ code: "42501" });
  });

  test("are kept against everybody by triggers, but for their payloads", async () => {
    const tenant = randomUUID();
    await writeSession(tenant);
    for (const [sql, why] of [
      ["UPDATE palimpsest.entry SET payload = 'x'", /never change/],
      ["UPDATE palimpsest.entry SET payload = NULL, kind = 'x'", /never change/],
      ["UPDATE palimpsest.entry SET sequence = sequence + 10", /never change/],
      ["DELETE FROM palimpsest.entry WHERE sequence = 3", /never deleted/],
      ["TRUNCATE palimpsest.entry", /never truncated/],
      ["UPDATE palimpsest.session SET fence = fence - 1", /never fall/],
      ["UPDATE palimpsest.session SET head_sequence = head_sequence - 1", /never fall/],
    ] as const)
      await expect(asTenant(database.admin, tenant, sql), sql).rejects.toThrow(why);
    for (const pool of [database.admin, database.workers]) {
      const { rowCount } = await asTenant(
        pool,
        tenant,
        `UPDATE palimpsest.entry SET payload = NULL WHERE tenant = '${tenant}'`,
      );
      expect(rowCount).toBe(3);
    }
  });
});

describe("tenants", () => {
  test("see and change nothing of each other, whatever the statement, and nothing without a name", async () => {
    const [mine, theirs] = [randomUUID(), randomUUID()];
    await writeSession(mine);
    await writeSession(theirs);
    for (const table of await tablesOfTenants(database.admin)) {
      const all = await asTenant(database.workers, mine, `SELECT DISTINCT tenant FROM palimpsest.${table}`);
      expect(all.rows, table).toEqual([{ tenant: mine }]);
      const sought = `SELECT FROM palimpsest.${table} WHERE tenant = '${theirs}'`;
      expect((await asTenant(database.workers, mine, sought)).rowCount, table).toBe(0);
      expect((await database.workers.query(`SELECT FROM palimpsest.${table}`)).rowCount, table).toBe(0);
      expect((await asTenant(database.workers, "", `SELECT FROM palimpsest.${table}`)).rowCount, table).toBe(0);
      // Also the owner of the tables is bound.
      const owner = `SET LOCAL ROLE palimpsest_owner; SELECT DISTINCT tenant FROM palimpsest.${table}`;
      const results = (await asTenant(database.admin, mine, owner)) as unknown as pg.QueryResult[];
      expect(results[1]?.rows, table).toEqual([{ tenant: mine }]);
    }
    for (const sql of [
      "UPDATE palimpsest.entry SET payload = NULL",
      "UPDATE palimpsest.memory_file SET number = 0",
      "UPDATE palimpsest.memory_use SET uses = 0",
      "UPDATE palimpsest.session SET fence = fence + 1",
      "UPDATE palimpsest.session_metadata SET metadata = '{}'",
      "DELETE FROM palimpsest.result",
      "DELETE FROM palimpsest.result_chunk",
      "UPDATE palimpsest.wakeup SET due_at_ms = 0",
      "DELETE FROM palimpsest.reminder",
      "UPDATE palimpsest.inbox SET payload = NULL",
      "UPDATE palimpsest.approval SET decision = 'allow'",
      "DELETE FROM palimpsest.event",
      "UPDATE palimpsest.lease SET state = 'free'",
      "DELETE FROM palimpsest.spent",
      "UPDATE palimpsest.address SET token = ''",
      "DELETE FROM palimpsest.message",
    ])
      expect((await asTenant(database.workers, mine, `${sql} WHERE tenant = '${theirs}'`)).rowCount, sql).toBe(0);
    for (const table of await tablesOfTenants(database.admin)) {
      const copied = `INSERT INTO palimpsest.${table} SELECT (jsonb_populate_record(t, jsonb_build_object('tenant', '${theirs}'))).* FROM palimpsest.${table} AS t`;
      await expect(asTenant(database.workers, mine, copied), table).rejects.toThrow(
        /row-level security|permission denied for table result$/,
      );
    }
  });

  test("do not reach a session of another by its number, nor by its name", async () => {
    const [mine, theirs] = [randomUUID(), randomUUID()];
    await writeSession(theirs);
    const found = await asTenant(database.workers, theirs, "SELECT number, fence FROM palimpsest.session");
    const { number, fence } = found.rows[0];
    const call = async (sql: string, ...values: unknown[]) =>
      (await database.workers.query(sql, [mine, ...values])).rows;
    expect(await call("SELECT * FROM palimpsest.read_entries($1, $2, 1, 9)", number)).toEqual([]);
    expect(await call("SELECT * FROM palimpsest.newest_entry($1, $2, 'two', 9)", number)).toEqual([]);
    expect(await call("SELECT palimpsest.find_session($1, 's')")).toEqual([{ find_session: null }]);
    expect(await call("SELECT palimpsest.erase_entry($1, $2, $3, 1)", number, fence)).toEqual([
      { erase_entry: "fenced" },
    ]);
    const append = "SELECT outcome FROM palimpsest.append_one($1, $2, $3, NULL, 4, 3, 'x', 1, 1, '', '', '{}')";
    expect(await call(append, number, fence)).toEqual([{ outcome: "gone" }]);
    expect(await call("SELECT outcome FROM palimpsest.delete_session($1, 's', NULL, 0)")).toEqual([
      { outcome: "absent" },
    ]);
    const store = openPostgres({ pool: database.workers }).store({ tenant: theirs });
    expect(await (await store.openReader("s"))?.read(1, 9)).toEqual(sealed(["one", "two", "three"]));
  });
});

test("an append updates its session in place: no index is touched", async () => {
  const tenant = randomUUID();
  const store = openPostgres({ pool: database.workers }).store({ tenant });
  const opened = await store.openWriter("s", { owner: "test" });
  if (opened.kind === "busy") throw new Error("busy");
  let head = await opened.writer.head();
  for (let count = 0; count < 50; count++) {
    const result = await opened.writer.append(sealed(["message"], head));
    if (result.kind !== "appended") throw new Error(result.kind);
    head = result.head;
  }
  // Counted by the connection that wrote, which the pool gives out again.
  await database.workers.query("SELECT pg_stat_force_next_flush()");
  const { rows } = await database.admin.query(
    "SELECT n_tup_upd::int AS updates, n_tup_hot_upd::int AS hot FROM pg_stat_user_tables WHERE relname = 'session'",
  );
  expect(rows[0].hot).toBeGreaterThan(rows[0].updates * 0.8);
});

test("texts are compressed with lz4 if the server was built with it, and otherwise in the server's default way", async () => {
  const isOffered = await database.admin.query("CREATE TEMP TABLE probe (content text COMPRESSION lz4)").then(
    () => true,
    () => false,
  );
  const { rows } = await database.admin.query(
    `SELECT relname || '.' || attname AS name FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
     WHERE relnamespace = 'palimpsest'::regnamespace AND relkind = 'r' AND attcompression = 'l' ORDER BY 1`,
  );
  const columns = ["entry.payload", "memory_change.content", "result_chunk.bytes"];
  expect(rows.map(({ name }) => name)).toEqual(isOffered ? columns : []);
});

test("migrations run once, however many ask for them, and a newer schema is left alone", async () => {
  await database.admin.query("CREATE DATABASE fresh");
  const pools = Array.from({ length: 4 }, () => database.connect({ user: "postgres", database: "fresh" }));
  const [first] = pools as [pg.Pool];
  await Promise.all(pools.map((pool) => migrate(pool)));
  const { rows } = await first.query("SELECT number FROM palimpsest.migration ORDER BY number");
  expect(rows.map(({ number }) => number)).toEqual(MIGRATIONS.map((_, index) => index + 1));
  await first.query("INSERT INTO palimpsest.migration (number) VALUES (999)");
  expect(await migrate(first)).toEqual({ before: 999, version: 999 });
});

test("a database without the schema, and a role without rights, are told what to do", async () => {
  await database.admin.query("CREATE DATABASE empty");
  await database.admin.query("CREATE ROLE nobody_special LOGIN");
  for (const [name, user, reason] of [
    ["empty", "service", "not-migrated"],
    ["postgres", "nobody_special", "no-permission"],
    ["absent", "service", "refused"],
  ] as const) {
    const pool = database.connect({ user, database: name });
    const store = openPostgres({ pool }).store({ tenant: "t" });
    await expect(store.openWriter("s", { owner: "x" }), name).rejects.toMatchObject({
      code: "database-failed",
      reason,
    });
  }
});

test("opening a long session reads no more rows than opening a short one", async () => {
  const tenant = randomUUID();
  const store = openPostgres({ pool: database.workers }).store({ tenant });
  const opened = await store.openWriter("long", { owner: "test" });
  if (opened.kind === "busy") throw new Error("busy");
  await opened.writer.append(sealed(Array.from({ length: 2_000 }, (_, index) => `entry ${index}`)));
  const rowsRead = await rowsReadBy(database.workers, async (client) => {
    // Often enough for a plan that fits any session.
    for (let count = 0; count < 10; count++)
      await client.query(
        "SELECT FROM palimpsest.read_batch($1, palimpsest.find_session($1, 'long'), NULL, '{1}', '{1}', '{boundary}', 'boundary', 20)",
        [tenant],
      );
  });
  expect(rowsRead).toBe(10 * 21);
});

/** How many rows of `entry` were fetched, as PostgreSQL counts them within a transaction. */
async function rowsReadBy(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<void>): Promise<number> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await work(client);
    const { rows } = await client.query(
      "SELECT idx_tup_fetch + seq_tup_read AS rows FROM pg_stat_xact_user_tables WHERE relname = 'entry'",
    );
    return Number(rows[0].rows);
  } finally {
    await client.query("ROLLBACK");
    client.release();
  }
}
