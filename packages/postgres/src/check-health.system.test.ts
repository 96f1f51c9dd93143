import { afterAll, beforeAll, expect, test } from "vitest";
import { checkHealth } from "./check-health.ts";
import { MIGRATIONS } from "./migrations/migrations.ts";
import { type StartedDatabase, startDatabase } from "./test-server/start-database.ts";

let database: StartedDatabase;

beforeAll(async () => {
  database = await startDatabase();
});

afterAll(() => database.stop());

test("a database that fits is ready, and its figures are told", async () => {
  expect(await checkHealth(database.workers, { timeoutMs: 60_000, maxClockSkewMs: 60_000 })).toMatchObject({
    state: "ready",
    problems: [],
    version: MIGRATIONS.length,
    latest: MIGRATIONS.length,
    roundTripMs: expect.any(Number),
    pool: { waiting: 0 },
  });
});

test("a schema that is missing, too old or too new is named, with what to do", async () => {
  await database.admin.query("CREATE DATABASE bare");
  const bare = await checkHealth(database.connect({ user: "service", database: "bare" }), { timeoutMs: 60_000 });
  expect(bare).toMatchObject({
    state: "down",
    version: 0,
    problems: [expect.stringContaining("palimpsest database migrate")],
  });

  const client = await database.connect({ user: "postgres", database: "postgres" }).connect();
  const check = () => checkHealth(client, { timeoutMs: 60_000, maxClockSkewMs: 60_000 });
  await client.query("BEGIN; DELETE FROM palimpsest.migration WHERE number > 3");
  const old = `the schema is at version 3, and this release needs ${MIGRATIONS.length}. Run palimpsest database migrate`;
  expect(await check()).toMatchObject({ state: "down", problems: [old] });
  await client.query("ROLLBACK; BEGIN; INSERT INTO palimpsest.migration (number) VALUES (900)");
  expect(await check()).toMatchObject({ state: "ready", version: 900, problems: [] });
  await client.query("DROP FUNCTION palimpsest.read_back");
  expect(await check()).toMatchObject({ state: "down", problems: [expect.stringMatching(/no read_back any more/)] });
  await client.query("ROLLBACK");
  client.release();
});

test("clocks that differ and a pool that is used up are told; a database that is gone or slow is down", async () => {
  const skewed = await checkHealth(database.workers, { timeoutMs: 60_000, maxClockSkewMs: -1 });
  expect(skewed).toMatchObject({ state: "degraded", problems: [expect.stringContaining("NTP")] });

  const small = database.connect({ user: "service", database: "postgres", max: 1 });
  const client = await small.connect();
  const late = small.query("SELECT 1");
  const used = await checkHealth(small, { timeoutMs: 100 });
  expect(used).toMatchObject({ state: "down", pool: { total: 1, idle: 0, waiting: 1 } });
  expect(used.problems[0]).toBe("the database did not answer within 100 ms");
  expect(used.problems[1]).toContain("all 1 connections of the pool are in use, and 1 calls wait");
  client.release();
  await late;

  const away = database.connect({ user: "service", database: "postgres", host: "/nowhere" });
  expect(await checkHealth(away)).toMatchObject({
    state: "down",
    problems: [expect.stringContaining("cannot be reached")],
  });
});
