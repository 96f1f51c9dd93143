import { randomUUID } from "node:crypto";
import type pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type StartedDatabase, startDatabase } from "../test-server/start-database.ts";
import { testMemoryOverPools } from "../testing/test-memory-over-pool.ts";
import { deletePostgresMemory, openPostgresMemory } from "./open-postgres-memory.ts";

let database: StartedDatabase;
let another: pg.Pool;

beforeAll(async () => {
  database = await startDatabase();
  another = database.connect({ user: "service", database: "postgres" });
});

afterAll(() => database.stop());

testMemoryOverPools(() => [database.workers, another]);

const draft = (slug: string, body = `The fact of ${slug}.`) =>
  ({ slug, name: slug, description: `what ${slug} is`, type: "project", body }) as const;

/** A pool that counts what is asked of it. */
function counted() {
  const calls: string[] = [];
  return {
    calls,
    pool: {
      query(text: string, values?: unknown[]) {
        calls.push(/palimpsest\.(\w+)/.exec(text)?.[1] ?? text);
        return database.workers.query(text, values);
      },
    },
  };
}

test("a look is one round trip and a write is two, however many topics there are", async () => {
  const { calls, pool } = counted();
  const memory = openPostgresMemory({ pool, tenant: randomUUID(), name: "project" });
  for (let number = 0; number < 20; number++) await memory.write(draft(`topic-${number}`), "model", "none");
  expect(calls.length).toBe(40);
  calls.length = 0;
  expect(await memory.list()).toHaveLength(20);
  expect(await memory.readAll(["topic-1", "topic-2"])).toHaveLength(2);
  expect(await memory.head()).toContain("topic-19");
  expect(calls).toEqual(["read_memory", "read_memory", "read_memory"]);
  calls.length = 0;
  // All topics are indexed at the first search, and none at the second.
  for (let search = 0; search < 2; search++) expect(await memory.search("what is topic-7?", 1)).toHaveLength(1);
  expect(calls).toEqual(["read_memory", "read_memory", "read_memory"]);
  await memory.close();
});

test("memories of a tenant and of tenants are apart, and one of them is deleted with its history", async () => {
  const [mine, theirs] = [randomUUID(), randomUUID()];
  const pool = database.workers;
  const places = [mine, theirs].flatMap((tenant) => ["one", "two"].map((name) => ({ pool, tenant, name })));
  const memories = places.map(openPostgresMemory);
  for (const [index, memory] of memories.entries()) {
    await memory.write(draft("a", `Of number ${index}.`), "model", "none");
    await memory.noteUse(["a"]);
  }
  expect(await deletePostgresMemory(places[0]!)).toBe("deleted");
  expect(await deletePostgresMemory(places[0]!)).toBe("absent");
  const left = await Promise.all(memories.map(async (memory) => (await memory.read("a"))?.body));
  expect(left).toEqual([undefined, "Of number 1.", "Of number 2.", "Of number 3."]);
  const logs = await Promise.all(memories.map((memory) => memory.log()));
  expect(logs.map((log) => (log.kind === "log" ? log.commits.length : log.why))).toEqual([0, 1, 1, 1]);
  expect((await memories[0]!.uses()).size).toBe(0);
});

test("whoever still knows a memory that was deleted and begun again sees the new one only", async () => {
  const place = { pool: database.workers, tenant: randomUUID(), name: "one" };
  const [late, other] = [openPostgresMemory(place), openPostgresMemory(place)];
  await late.write(draft("old"), "model", "none");
  await late.write(draft("older"), "model", "none");
  await deletePostgresMemory(place);
  for (const slug of ["a", "b", "c"]) await other.write(draft(slug), "model", "none");
  expect(await late.write(draft("d"), "model", "none")).toMatchObject({ kind: "written" });
  expect((await late.list()).map(({ slug }) => slug)).toEqual(["a", "b", "c", "d"]);
  expect(await other.head()).not.toContain("old");
});

test("a look without news reads no file, and one with news those alone", async () => {
  const place = { tenant: randomUUID(), name: "one", pool: database.workers };
  const other = openPostgresMemory(place);
  await other.batch("model", "fill", async (batch) => {
    for (let number = 0; number < 150; number++) await batch.write(draft(`topic-${number}`), "none");
  });
  // One connection counts for itself, whatever others do.
  const client = await database.workers.connect();
  onTestFinished(() => client.release());
  await client.query("BEGIN");
  const pool = { query: client.query.bind(client) };
  const memory = openPostgresMemory({ ...place, pool });
  const readFiles = async (): Promise<number> => {
    const sql = "SELECT idx_tup_fetch::int AS files FROM pg_stat_xact_user_tables WHERE relname = 'memory_change'";
    return (await client.query(sql)).rows[0].files;
  };
  const before = await readFiles();
  expect(await memory.list()).toHaveLength(150);
  expect((await readFiles()) - before).toBe(150);
  for (let look = 0; look < 10; look++) await memory.read("topic-7");
  expect((await readFiles()) - before).toBe(150);
  await other.write(draft("new"), "model", "none");
  expect(await memory.list()).toHaveLength(151);
  expect((await readFiles()) - before).toBe(151);
  await client.query("ROLLBACK");
});

test("32 writers of one memory are all done", async () => {
  const place = { tenant: randomUUID(), name: "one" };
  const pools = [database.workers, another];
  const writers = Array.from({ length: 32 }, (_, number) => openPostgresMemory({ ...place, pool: pools[number % 2]! }));
  const outcomes = await Promise.all(
    writers.flatMap((memory, number) =>
      [0, 1].map((at) => memory.write(draft(`topic-${number}-${at}`), "model", "none")),
    ),
  );
  expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(["written"]));
  expect(await writers[0]!.list()).toHaveLength(64);
  const log = await writers[1]!.log(100);
  expect(log).toMatchObject({ kind: "log" });
  expect(log.kind === "log" && new Set(log.commits.map(({ commit }) => commit)).size).toBe(64);
});

test("a write that meets others again and again says so in the end", async () => {
  const place = { tenant: randomUUID(), name: "one" };
  const other = openPostgresMemory({ ...place, pool: database.workers });
  let number = 0;
  const pool = {
    async query(text: string, values?: unknown[]) {
      if (text.includes("commit_memory")) await other.write(draft(`other-${number++}`), "model", "none");
      return database.workers.query(text, values);
    },
  };
  const memory = openPostgresMemory({ ...place, pool, busyTimeoutMs: 2_000 });
  await expect(memory.write(draft("a"), "model", "none")).rejects.toMatchObject({ reason: "conflict" });
  expect(number).toBeGreaterThan(1);
  expect(await memory.read("a")).toBeUndefined();
});

test("the beginning of an id that two commits share names neither", async () => {
  const tenant = randomUUID();
  const memory = openPostgresMemory({ pool: database.workers, tenant, name: "one" });
  const written = await memory.write(draft("a"), "model", "none");
  const start = "commit" in written ? written.commit.slice(0, 6) : "";
  expect(await memory.diff(start)).toMatchObject({ kind: "diff" });
  const twin = `INSERT INTO palimpsest.memory_commit SELECT tenant, memory, 2, $2, author, at_ms, message FROM palimpsest.memory_commit WHERE tenant = $1`;
  await database.admin.query(twin, [tenant, start.padEnd(40, "0")]);
  expect(await memory.diff(start)).toEqual({ kind: "unknown-commit" });
  expect(await memory.undo(start)).toEqual({ kind: "unknown-commit" });
});

test("workers can add to the history and change nothing of it", async () => {
  const tenant = randomUUID();
  const memory = openPostgresMemory({ pool: database.workers, tenant, name: "one" });
  await memory.write(draft("a"), "model", "none");
  for (const [pool, why] of [
    [database.workers, /permission denied/],
    [database.admin, /never change/],
  ] as const) {
    for (const sql of [
      "UPDATE palimpsest.memory_commit SET message = 'x'",
      "UPDATE palimpsest.memory_change SET content = 'x'",
    ])
      await expect(pool.query(`${sql} WHERE tenant = '${tenant}'`), sql).rejects.toThrow(why);
  }
  for (const table of ["memory_commit", "memory_change", "memory_file", "memory_use"]) {
    await expect(database.workers.query(`DELETE FROM palimpsest.${table}`), table).rejects.toThrow(/permission denied/);
  }
});
