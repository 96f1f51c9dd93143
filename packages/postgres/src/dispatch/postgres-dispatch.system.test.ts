import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPostgres } from "../open-postgres.ts";
import { type StartedDatabase, startDatabase } from "../test-server/start-database.ts";
import { testDispatchOver } from "../testing/test-dispatch-over.ts";
import { openPostgresDispatch, type PostgresDispatch } from "./open-postgres-dispatch.ts";
import type { ListenConnection } from "./postgres-listener.ts";

let database: StartedDatabase;

beforeAll(async () => {
  database = await startDatabase();
});

afterAll(() => database.stop());

async function listen(): Promise<ListenConnection> {
  const client = new pg.Client({ host: database.host, user: "dispatcher", database: "postgres" });
  await client.connect();
  return client;
}

/** Ends every run and every wake that a test left behind. */
async function clear(): Promise<void> {
  await database.admin.query("DELETE FROM palimpsest.wakeup; DELETE FROM palimpsest.reminder");
}

describe("by polling", () => testDispatchOver(() => ({ database, pool: database.dispatchers })));

describe("by listening", () => testDispatchOver(() => ({ database, pool: database.dispatchers, listen })));

test("a listener that lost its connection connects again, and finds what it missed", async () => {
  const options = { pool: database.dispatchers, listen, pollMs: 600_000 };
  const [watcher, publisher] = [openPostgresDispatch(options), openPostgresDispatch(options)];
  const tenant = randomUUID();
  const watched = watcher.tenant(tenant).events.watch("s")[Symbol.asyncIterator]();
  const { events } = publisher.tenant(tenant);
  await events.publish("s", ["one"]);
  expect((await watched.next()).value).toMatchObject({ offset: 1 });
  const next = watched.next();
  const listening = "FROM pg_stat_activity WHERE query LIKE 'LISTEN%'";
  await expect.poll(async () => (await database.admin.query(`SELECT ${listening}`)).rowCount).toBe(1);
  await database.admin.query(`SELECT pg_terminate_backend(pid) ${listening}`);
  await events.publish("s", ["two"]);
  expect((await next).value).toMatchObject({ offset: 2 });
  await watched.return?.();
  for (const each of [watcher, publisher]) await each.close();
});

describe("tenants", () => {
  test("take turns, however many sessions of one are due", async () => {
    await clear();
    const { tenant, queue } = openPostgresDispatch({ pool: database.dispatchers });
    for (let index = 0; index < 40; index++) await tenant("busy").schedule.wake(`s${index}`);
    for (const name of ["calm", "quiet"]) await tenant(name).schedule.wake("s");
    const taken: string[][] = [];
    for (let round = 0; round < 3; round++)
      taken.push((await queue.take({ limit: 3 })).runs.map((run) => run.tenant).sort());
    expect(taken).toEqual([
      ["busy", "calm", "quiet"],
      ["busy", "busy", "busy"],
      ["busy", "busy", "busy"],
    ]);
    for (const name of ["calm", "quiet"]) await tenant(name).schedule.wake("t");
    expect((await queue.take({ limit: 3 })).runs.map((run) => run.tenant).sort()).toEqual(["busy", "calm", "quiet"]);
    await clear();
  });

  test("have schedules, questions and events of their own", async () => {
    await clear();
    const dispatch = openPostgresDispatch({ pool: database.dispatchers });
    const [mine, theirs] = [randomUUID(), randomUUID()].map((name) => ({ name, ...dispatch.tenant(name) }));
    const question = { sessionId: "s", callId: "c", tool: "t", input: 1 };
    for (const each of [mine!, theirs!]) {
      await each.approvals.ask(question);
      await each.events.publish("s", [each.name]);
      await each.schedule.remind("s", { key: "k", dueAtMs: 0, reason: each.name });
    }
    await mine!.approvals.answer("s", "c", { decision: "allow", by: "me" });
    expect((await theirs!.approvals.read("s", "c")).kind).toBe("pending");
    expect(await theirs!.events.read("s")).toMatchObject({ events: [{ event: theirs!.name }] });
    const { runs } = await dispatch.queue.take();
    expect(runs.map(({ tenant, reminders }) => [tenant, reminders[0]?.reason]).sort()).toEqual(
      [mine!, theirs!].map(({ name }) => [name, name]).sort(),
    );
    await clear();
  });
});

describe("the function that crosses tenants", () => {
  const take = "SELECT * FROM palimpsest.take_wakeups(9, '', 'run', 5, 1000, NULL)";

  /** Runs a statement in a role that the administrator takes on. */
  async function asRole(role: string, sql: string): Promise<pg.QueryResult> {
    const client = await database.admin.connect();
    try {
      await client.query(`BEGIN; SET LOCAL ROLE ${role}`);
      return await client.query(sql);
    } finally {
      await client.query("ROLLBACK");
      client.release();
    }
  }

  test("can be called by dispatchers only, and returns tenant, session, run and attempt only", async () => {
    await clear();
    const { schedule } = openPostgresDispatch({ pool: database.workers }).tenant(randomUUID());
    await schedule.remind("s", { key: "k", dueAtMs: 0, reason: "secret" });
    await expect(database.workers.query(take)).rejects.toMatchObject({ code: "42501" });
    const { rows, fields } = await database.dispatchers.query(take);
    expect(fields.map(({ name }) => name)).toEqual(["tenant", "session", "run", "attempt"]);
    expect(rows).toHaveLength(1);
    // Whoever may call it sees no more by it of the tables.
    for (const table of ["wakeup", "reminder"])
      expect((await database.dispatchers.query(`SELECT FROM palimpsest.${table}`)).rowCount, table).toBe(0);
    await expect(database.dispatchers.query("SET ROLE palimpsest_queue")).rejects.toMatchObject({ code: "42501" });
    await clear();
  });

  test("runs as a role that sees what decides who is next, and nothing else", async () => {
    await asRole("palimpsest_queue", "SELECT tenant, session, state, due_at_ms, run, attempts FROM palimpsest.wakeup");
    await asRole("palimpsest_queue", "SELECT tenant, session, key, state, due_at_ms FROM palimpsest.reminder");
    const { rows: tables } = await database.admin.query(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'palimpsest'",
    );
    const others = tables.map(({ name }) => name).filter((name) => !["wakeup", "reminder"].includes(name));
    expect(others.length).toBeGreaterThan(8);
    for (const sql of [
      "SELECT reason FROM palimpsest.reminder",
      "SELECT past_entry FROM palimpsest.reminder",
      "INSERT INTO palimpsest.reminder (tenant) VALUES ('x')",
      "UPDATE palimpsest.reminder SET reason = 'x'",
      "DELETE FROM palimpsest.reminder",
      "SELECT failure FROM palimpsest.wakeup",
      "SELECT version FROM palimpsest.wakeup",
      "UPDATE palimpsest.wakeup SET tenant = 'x'",
      "DELETE FROM palimpsest.wakeup",
      "CREATE TABLE palimpsest.mine ()",
      ...others.flatMap((name) => [`SELECT FROM palimpsest.${name}`, `DELETE FROM palimpsest.${name}`]),
    ])
      await expect(asRole("palimpsest_queue", sql), sql).rejects.toMatchObject({ code: "42501" });
    const owned = "SELECT proname FROM pg_proc WHERE proowner = 'palimpsest_queue'::regrole";
    expect((await database.admin.query(owned)).rows).toEqual([{ proname: "take_wakeups" }]);
    const members = `SELECT FROM pg_auth_members WHERE roleid = 'palimpsest_queue'::regrole
      UNION ALL SELECT FROM pg_roles WHERE rolname LIKE 'palimpsest_%' AND (rolcanlogin OR rolbypassrls)`;
    expect((await database.admin.query(members)).rowCount).toBe(0);
  });
});

test("what belongs to a session is deleted with it, and with no other", async () => {
  await clear();
  const tenant = randomUUID();
  const dispatch: PostgresDispatch = openPostgresDispatch({ pool: database.dispatchers });
  const { schedule, inbox, approvals, events } = dispatch.tenant(tenant);
  const store = openPostgres({ pool: database.workers }).store({ tenant });
  for (const session of ["s", "t"]) {
    const opened = await store.openWriter(session, { owner: "test" });
    if (opened.kind === "opened") await opened.writer.close();
    await schedule.wake(session);
    await inbox.add(session, { key: "k", payload: "said" });
    await approvals.ask({ sessionId: session, callId: "c", tool: "t", input: 1, expiresAtMs: Date.now() + 60_000 });
    await events.publish(session, ["a"]);
  }
  expect((await store.delete("s")).kind).toBe("deleted");
  for (const table of ["wakeup", "reminder", "inbox", "approval", "event", "event_stream"]) {
    const { rows } = await database.admin.query(`SELECT session FROM palimpsest.${table} WHERE tenant = $1`, [tenant]);
    expect(rows, table).toEqual([{ session: "t" }]);
  }
  await clear();
});

test("after a restore, runs have higher numbers, and no watcher takes new events for those that it has seen", async () => {
  await clear();
  const tenant = randomUUID();
  const dispatch = openPostgresDispatch({ pool: database.dispatchers });
  const { schedule, events } = dispatch.tenant(tenant);
  const store = openPostgres({ pool: database.workers }).store({ tenant });
  const opened = await store.openWriter("s", { owner: "test" });
  if (opened.kind === "opened") await opened.writer.close();
  await schedule.wake("s");
  const [before] = (await dispatch.queue.take()).runs;
  await events.publish("s", ["a", "b"], { fence: before!.number });
  await openPostgres({ pool: database.admin }).tenants.fenceAfterRestore();
  // One watcher had seen both, and another three that the backup does not know.
  for (const after of [2, 5]) expect(await events.read("s", { after })).toMatchObject({ kind: "too-old" });
  await before!.release();
  const [run] = (await dispatch.queue.take()).runs;
  expect(run!.number).toBeGreaterThan(before!.number + 999_999);
  expect(await events.publish("s", ["c"], { fence: run!.number })).toMatchObject({ kind: "published" });
  expect(await events.read("s")).toMatchObject({ kind: "read", events: [{ event: "c" }] });
  await clear();
});

test("the database's clock decides, if no other is given", async () => {
  await clear();
  const { tenant, queue } = openPostgresDispatch({ pool: database.dispatchers });
  const { schedule } = tenant(randomUUID());
  await schedule.remind("s", { key: "k", dueAtMs: Date.now() + 60_000, reason: "later" });
  expect((await queue.take()).runs).toEqual([]);
  await schedule.remind("s", { key: "k", dueAtMs: Date.now() - 60_000, reason: "now" });
  expect((await queue.take()).runs).toHaveLength(1);
  await clear();
});
