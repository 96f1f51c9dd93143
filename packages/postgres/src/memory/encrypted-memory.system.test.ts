import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { localKeyRing, type TenantKeyRing } from "../key-ring/envelope-key-ring.ts";
import { type StartedDatabase, startDatabase } from "../test-server/start-database.ts";
import { testMemoryOverPools } from "../testing/test-memory-over-pool.ts";
import { openPostgresMemory } from "./open-postgres-memory.ts";

let database: StartedDatabase;
let keyRing: TenantKeyRing;

beforeAll(async () => {
  database = await startDatabase();
  keyRing = localKeyRing({ pool: database.workers, masterKey: randomBytes(32) });
});

afterAll(() => database.stop());

testMemoryOverPools(
  () => [database.workers],
  () => keyRing,
);

const draft = (slug: string, body: string) =>
  ({ slug, name: slug, description: `what ${slug} is`, type: "user", body }) as const;

async function rowsOf(tenant: string): Promise<string> {
  const tables = ["memory_commit", "memory_change", "memory_file", "memory_use"];
  const found = await Promise.all(
    tables.map((table) => database.admin.query(`SELECT * FROM palimpsest.${table} WHERE tenant = $1`, [tenant])),
  );
  return JSON.stringify(found.map(({ rows }) => rows));
}

test("neither texts nor names of topics are in the database, and a lost key erases all of them", async () => {
  const tenant = randomUUID();
  const place = { pool: database.workers, tenant, name: "user-3" };
  const memory = openPostgresMemory({ ...place, keyRing });
  await memory.write(draft("allergic-to-nuts", "The user is allergic to nuts."), "user", "none");
  await memory.noteUse(["allergic-to-nuts"]);
  await keyRing.rotate(tenant);
  await memory.propose(draft("another-secret", "Another one."), "model", "a web page");
  const kept = await rowsOf(tenant);
  for (const secret of ["to nuts", "allergic", "secret", "web page"]) expect(kept).not.toContain(secret);
  const again = openPostgresMemory({ ...place, keyRing });
  expect((await again.list()).map(({ slug }) => slug)).toEqual(["allergic-to-nuts"]);
  expect([...(await again.uses()).keys()]).toEqual(["allergic-to-nuts"]);
  expect(await again.log()).toMatchObject({ commits: [{ message: "propose another-secret: a web page" }, {}] });
  await expect(openPostgresMemory(place).list()).rejects.toMatchObject({ code: "no-key-ring" });

  await keyRing.forgetTenantKey(tenant);
  const erased = openPostgresMemory({ ...place, keyRing });
  expect([await erased.list(), await erased.inbox(), await erased.head()]).toEqual([[], [], undefined]);
  expect(await erased.log()).toMatchObject({ commits: [{ message: "", changes: [] }, {}] });
  expect(await erased.write(draft("new", "A new one."), "user", "none")).toMatchObject({ kind: "written" });
});

test("a memory that was begun without keys is continued with them, and can be undone", async () => {
  const place = { pool: database.workers, tenant: randomUUID(), name: "user-3" };
  const plain = openPostgresMemory(place);
  await plain.write(draft("a", "Plain."), "user", "none");
  const before = (await plain.read("a"))!;
  const memory = openPostgresMemory({ ...place, keyRing });
  await memory.write(draft("a", "Encrypted."), "user", before.version);
  expect(await memory.list()).toHaveLength(1);
  const log = await memory.log();
  expect(log).toMatchObject({ commits: [{ changes: [{ path: "a.md", how: "changed" }] }, {}] });
  await memory.undo(log.kind === "log" ? log.commits[0]!.commit : "");
  expect((await memory.read("a"))?.text).toBe(before.text);
});
