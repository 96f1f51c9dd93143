import { randomUUID } from "node:crypto";
import type { Store } from "palimpsest";
import { manualStoreClock } from "palimpsest/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrate } from "../migrate.ts";
import { openPostgres, type Postgres } from "../open-postgres.ts";
import { type StartedDatabase, startDatabase, tablesOfTenants } from "../test-server/start-database.ts";
import { countRows, fillTable } from "../testing/fill-tenant.ts";
import { auditLogs, keepWriting, nothingAcknowledged, untilWritten } from "../testing/keep-writing.ts";
import { sealed } from "../testing/sealed.ts";

let database: StartedDatabase;
let postgres: Postgres;

beforeAll(async () => {
  database = await startDatabase();
  postgres = openPostgres({ pool: database.workers });
});

afterAll(() => database.stop());

async function writeSession(store: Store, session: string, content = session): Promise<void> {
  const opened = await store.openWriter(session, { owner: "test" });
  if (opened.kind === "busy") throw new Error("busy");
  await opened.writer.append(sealed(["one", "two", "three"]));
  await opened.writer.close();
  await store.setMetadata(session, { title: session });
  const draft = await store.results.create(session);
  await draft.write(new TextEncoder().encode(content));
  await draft.keep("txt");
}

describe("a tenant is deleted", () => {
  test("from every table that has a column tenant, and no other tenant is touched", async () => {
    const [mine, theirs] = [randomUUID(), randomUUID()];
    const tables = await tablesOfTenants(database.admin);
    expect(tables).toContain("entry");
    for (const tenant of [mine, theirs]) {
      for (let count = 0; count < 5; count++) await writeSession(postgres.store({ tenant }), `s${count}`);
      for (const table of tables) await fillTable(database.admin, table, tenant);
    }
    const before = await countRows(database.admin, tables, theirs);
    expect(Object.entries(before).filter(([, rows]) => rows === 0)).toEqual([]);
    expect(await postgres.tenants.count(mine)).toEqual(await countRows(database.admin, tables, mine));

    const deletion = await postgres.tenants.delete(mine, { writers: "fence", batchRows: 4 });
    if (deletion.kind !== "deleted") throw new Error(deletion.kind);
    expect(Object.keys(deletion.rows).sort()).toEqual(tables);
    const left = Object.entries(await countRows(database.admin, tables, mine)).filter(([, rows]) => rows > 0);
    expect(left, "tables that still have rows of the deleted tenant").toEqual([]);
    expect(await countRows(database.admin, tables, theirs)).toEqual(before);
    expect(await postgres.tenants.delete(mine)).toEqual({ kind: "deleted", rows: {} });
  });

  test("only when nobody writes, or else its writers are fenced and cannot write any more", async () => {
    const tenant = randomUUID();
    const store = postgres.store({ tenant });
    const opened = await store.openWriter("s", { owner: "a worker" });
    if (opened.kind === "busy") throw new Error("busy");
    const appended = await opened.writer.append(sealed(["one"]));
    if (appended.kind !== "appended") throw new Error(appended.kind);
    expect(await postgres.tenants.delete(tenant)).toMatchObject({
      kind: "busy",
      writers: [{ session: "s", owner: "a worker", freeAtMs: expect.any(Number) }],
    });
    expect(await opened.writer.append(sealed(["two"], appended.head))).toMatchObject({ kind: "appended" });
    expect(await postgres.tenants.delete(tenant, { writers: "fence" })).toMatchObject({ kind: "deleted" });
    expect(await opened.writer.append([])).toMatchObject({ kind: "fenced" });
    expect(await store.openReader("s")).toBeUndefined();
    // The name can be used again; the writer of before has nothing to do with it.
    await writeSession(store, "s");
    expect(await opened.writer.append(sealed(["four"], { sequence: 3, hash: "" }))).toMatchObject({ kind: "fenced" });
  });

  test("to the end after it was cut off, while its sessions are written", async () => {
    const tenant = randomUUID();
    const store = postgres.store({ tenant });
    for (let count = 0; count < 10; count++) await writeSession(store, `s${count}`);
    const cut = postgres.tenants.delete(tenant, {
      batchRows: 3,
      onProgress(rows) {
        if (rows > 20) throw new Error("the process is killed");
      },
    });
    await expect(cut).rejects.toThrow("killed");
    const tables = await tablesOfTenants(database.admin);
    expect((await countRows(database.admin, tables, tenant))["entry"]).toBeGreaterThan(0);
    const told = nothingAcknowledged();
    const writing = keepWriting(store, { owner: "late", sessions: ["s1", "s2"], told });
    await untilWritten(told, 10);
    for (let count = 0; count < 5; count++) await postgres.tenants.delete(tenant, { batchRows: 3, writers: "fence" });
    await writing.stop();
    await postgres.tenants.delete(tenant, { writers: "fence" });
    expect(await postgres.tenants.count(tenant)).toEqual({});
  });
});

describe("a tenant is exported", () => {
  test("as lines that fill another one, with the same logs, metadata and results", async () => {
    const [from, to] = [randomUUID(), randomUUID()];
    const store = postgres.store({ tenant: from });
    const told = nothingAcknowledged();
    const writing = keepWriting(store, { owner: "w", sessions: ["long"], told });
    await untilWritten(told, 600);
    await writing.stop();
    await writeSession(store, "short", "x".repeat(600_000));
    for (const table of await tablesOfTenants(database.admin)) {
      if (!["session", "session_metadata", "entry", "result", "result_chunk"].includes(table))
        await fillTable(database.admin, table, from);
    }
    const lines = await Array.fromAsync(postgres.tenants.export(from));
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ kind: "end", sessions: 2, results: 1 });
    const tables = new Set(
      lines.map((line) => JSON.parse(line)).flatMap(({ kind, table }) => (kind === "row" ? [table] : [])),
    );
    expect([...tables]).toContain("message");
    expect([...tables]).not.toContain("lease");

    expect(await postgres.tenants.import(to, lines)).toMatchObject({ kind: "imported", sessions: 2, results: 1 });
    const copy = postgres.store({ tenant: to });
    expect(await auditLogs(copy, ["long", "short"], told)).toMatchObject({ lost: 0, changed: 0, broken: 0 });
    expect(await copy.readMetadata("short")).toEqual({ title: "short" });
  });

  test("and damaged, cut or repeated lines are found", async () => {
    const from = randomUUID();
    await writeSession(postgres.store({ tenant: from }), "s");
    const lines = await Array.fromAsync(postgres.tenants.export(from));
    const into = (changed: readonly string[]) => postgres.tenants.import(randomUUID(), changed);
    expect(await into(lines)).toMatchObject({ kind: "imported", sessions: 1, entries: 3 });
    expect(await into(lines.slice(0, -1))).toMatchObject({ kind: "damaged", problem: "it was cut off" });
    expect(await into(lines.slice(1))).toMatchObject({ kind: "damaged", line: 1 });
    const changed = lines.map((line) => line.replace('"two"}', '"too"}'));
    expect(changed).not.toEqual(lines);
    expect(await into(changed)).toMatchObject({ kind: "damaged", problem: "an entry of session s: payload" });
    const other = lines.map((line) => line.replace(/"base64":"[^"]*"/, '"base64":"AAAA"'));
    expect(await into(other)).toMatchObject({
      kind: "damaged",
      problem: expect.stringContaining("is not what was exported"),
    });
    expect(await postgres.tenants.import(from, lines)).toEqual({ kind: "refused", session: "s" });
  });
});

describe("old sessions of all tenants expire", () => {
  const DAY_MS = 86_400_000;

  async function open(): Promise<{ readonly operator: Postgres; readonly clock: ReturnType<typeof manualStoreClock> }> {
    const name = `d${randomUUID().replaceAll("-", "")}`;
    const { admin } = database;
    await admin.query(`CREATE DATABASE ${name}`);
    const pool = database.connect({ user: "postgres", database: name });
    await admin.query(`CREATE ROLE ${name} LOGIN`);
    await migrate(pool, { operatorRole: name });
    const clock = manualStoreClock();
    return { operator: openPostgres({ pool: database.connect({ user: name, database: name }), clock }), clock };
  }

  test("each by its own age, page by page, and by two machines at once", async () => {
    const { operator, clock } = await open();
    const tenants = ["a", "b", "c", "d"];
    for (const tenant of tenants)
      for (let count = 0; count < 3; count++) await writeSession(operator.store({ tenant }), `old${count}`);
    await clock.advance(40 * DAY_MS);
    for (const tenant of tenants) await writeSession(operator.store({ tenant }), "new");
    expect(await operator.tenants.list()).toEqual(tenants);
    expect(await operator.tenants.list({ after: "b", limit: 1 })).toEqual(["c"]);

    const policy = { defaultMs: 30 * DAY_MS, tenants: { b: 90 * DAY_MS, c: "forever" as const } };
    const reports = await Promise.all([operator.tenants.expire(policy), operator.tenants.expire(policy)]);
    expect(reports.reduce((sum, { deleted }) => sum + deleted, 0)).toBe(6);
    for (const report of reports) expect(report).toMatchObject({ tenants: 4, kept: 0 });
    const sizes = tenants.map(async (tenant) => (await operator.store({ tenant }).list()).sessions.length);
    expect(await Promise.all(sizes)).toEqual([1, 4, 4, 1]);
    expect(await operator.tenants.expire({ defaultMs: "forever" })).toMatchObject({ deleted: 0 });
  });

  test("as much as one call may, and the rest where it left off", async () => {
    const { operator, clock } = await open();
    for (const tenant of ["a", "b"])
      for (let count = 0; count < 130; count++) {
        const opened = await operator
          .store({ tenant })
          .openWriter(`s${String(count).padStart(3, "0")}`, { owner: "x" });
        if (opened.kind === "opened") await opened.writer.close();
      }
    await clock.advance(40 * DAY_MS);
    const first = await operator.tenants.expire({ defaultMs: DAY_MS }, { maxSessions: 100 });
    expect(first).toMatchObject({ deleted: 100, deletedOf: { a: 100 }, next: { tenant: "a", session: "s099" } });
    let [deleted, report] = [first.deleted, first];
    for (let calls = 0; report.next !== undefined && calls < 9; calls++) {
      report = await operator.tenants.expire({ defaultMs: DAY_MS }, { maxSessions: 100, after: report.next });
      deleted += report.deleted;
    }
    expect(deleted).toBe(260);
    expect(await operator.tenants.list()).toEqual([]);
  });

  test("but a worker that is no operator may not list tenants", async () => {
    await expect(postgres.tenants.list()).rejects.toMatchObject({ reason: "no-permission" });
    // The setting by which the owner's function sees them opens nothing to anybody else.
    await postgres.store({ tenant: "any" }).openWriter("s", { owner: "x" });
    const client = await database.workers.connect();
    await client.query("BEGIN; SET LOCAL palimpsest.every_tenant = 'on'");
    expect((await client.query("SELECT FROM palimpsest.session")).rowCount).toBe(0);
    await client.query("ROLLBACK");
    client.release();
    await expect(postgres.tenants.expire({ defaultMs: 1 })).rejects.toMatchObject({ reason: "no-permission" });
  });
});
