import { execFileSync } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { exportLog, importLog, memoryStore, openSession, type Session, type Store } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { checkChain, EMPTY_LOG, type Entry, sha256 } from "palimpsest/store-parts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { s3Objects } from "../objects/s3-objects.ts";
import { openPostgres } from "../open-postgres.ts";
import { type StartedDatabase, startDatabase } from "../test-server/start-database.ts";
import { type StartedS3, startS3 } from "../testing/start-s3.ts";
import { testOverPool, testResultsOverPool } from "../testing/test-over-pool.ts";
import { envelopeKeyRing, localKeyRing, type TenantKeyRing } from "./envelope-key-ring.ts";
import type { KeyRing } from "./key-ring.ts";
import { localMasterKey, type MasterKey } from "./master-key.ts";

const masterKey = randomBytes(32);
let database: StartedDatabase;
let s3: StartedS3;
let keyRing: TenantKeyRing;

beforeAll(async () => {
  [database, s3] = await Promise.all([startDatabase(), startS3()]);
  keyRing = localKeyRing({ pool: database.workers, masterKey });
});

afterAll(async () => {
  await s3.stop();
  await database.stop();
});

describe("encrypted:", () => testOverPool(() => ({ pool: database.workers, keyRing })));
describe("encrypted, and most results in a bucket:", () => {
  testResultsOverPool(() => ({ ...options(), keyRing }));
});

const options = () => ({ pool: database.workers, largeResults: { objects: s3Objects(s3), aboveBytes: 2_000 } });
const openPlain = (tenant: string): Store => openPostgres(options()).store({ tenant });
const storeOf = (tenant: string, ring: KeyRing = keyRing): Store =>
  openPostgres({ ...options(), keyRing: ring }).store({ tenant });

// Nothing is sent here.
const open = (store: Store, id = "s"): Promise<Session> =>
  openSession({ store, id, provider: anthropic({} as never), model: "claude-opus-5-5", system: "Be brief." });

async function write(store: Store, texts: readonly string[], id = "s"): Promise<void> {
  const session = await open(store, id);
  await session.append(texts);
  await session.close();
}

async function readAll(store: Store, id = "s"): Promise<readonly Entry[]> {
  const reader = await store.openReader(id);
  return (await reader?.read(1, Number.POSITIVE_INFINITY)) ?? [];
}

async function keep(store: Store, content: string): Promise<string> {
  const draft = await store.results.create("s");
  await draft.write(new TextEncoder().encode(content));
  return (await draft.keep("txt")).file;
}

async function readResult(store: Store, file: string): Promise<string | undefined> {
  const found = await store.results.find("s", file);
  return found && Buffer.concat(await Array.fromAsync(found.chunks())).toString();
}

/** Every row of every table, as JSON. */
async function readAllRows(): Promise<readonly string[]> {
  const tables = await database.admin.query(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'palimpsest'::regnamespace AND relkind = 'r'",
  );
  const all: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await database.admin.query(`SELECT to_jsonb(one)::text AS row FROM palimpsest.${name} AS one`);
    all.push(...rows.map(({ row }) => String(row)));
  }
  return all;
}

const LOST: KeyRing = {
  current: () => keyRing.current("nobody"),
  find: async () => undefined,
  names: () => keyRing.names("nobody"),
};

test("neither what was said, nor a digest by which it could be guessed, is in the database or in the bucket", async () => {
  const tenant = randomUUID();
  const store = storeOf(tenant);
  const secrets = ["the-pin-is-4711", "the-title-is-secret", "a small secret result", "a large secret result"];
  const [said, title, small, large] = secrets as [string, string, string, string];
  await write(store, [said]);
  await store.setMetadata("s", { title });
  const files = [await keep(store, small), await keep(store, large.repeat(10_000))];
  expect(await store.readMetadata("s")).toEqual({ title });
  expect((await store.list()).sessions).toEqual([{ id: "s", metadata: { title } }]);
  const payloads = (await readAll(store)).map(({ payload }) => payload!);
  expect(payloads.some((payload) => payload.includes(said))).toBe(true);

  const rows = await readAllRows();
  const isThere = (text: string) => rows.some((row) => row.includes(text));
  const sought = [...secrets, "Be brief.", ...payloads.map((payload) => sha256(payload)), ...files];
  sought.push(...files.map((file) => file.slice(0, 64)));
  for (const text of sought) expect(isThere(text), text).toBe(false);
  // Bytes are hexadecimal digits in these rows, and encrypted texts are base64: neither has the secrets.
  for (const text of secrets) {
    expect(isThere(Buffer.from(text).toString("hex")), text).toBe(false);
    expect(isThere(Buffer.from(text).toString("base64").slice(0, 12)), text).toBe(false);
  }
  const grep = ["--recursive", "--fixed-strings", "--text", "--files-with-matches"];
  for (const text of secrets)
    expect(() => execFileSync("grep", [...grep, text, s3.folder]), text).toThrow(/Command failed/);
  // The same searches find what is not encrypted.
  const plain = openPlain(randomUUID());
  await write(plain, ["what is open"]);
  await keep(plain, "a small open result");
  await keep(plain, "a large open result".repeat(10_000));
  expect(execFileSync("grep", [...grep, "a large open result", s3.folder]).length).toBeGreaterThan(0);
  const openRows = await readAllRows();
  for (const text of ["what is open", Buffer.from("a small open result").toString("hex")])
    expect(
      openRows.some((row) => row.includes(text)),
      text,
    ).toBe(true);
});

test("the chain can be audited without any key, and by whoever has the keys", async () => {
  const tenant = randomUUID();
  await write(storeOf(tenant), ["one", "two", "three"]);
  const sealedOnes = await readAll(storeOf(tenant, LOST));
  expect(sealedOnes.every(({ payload }) => payload === undefined)).toBe(true);
  expect(checkChain(sealedOnes, EMPTY_LOG, sha256)).toEqual([]);
  expect(await readAll(storeOf(tenant))).toHaveLength(sealedOnes.length);
});

test("a payload that was moved or changed is an error, and so is a wrong master key: nothing of it is taken for erased", async () => {
  const tenant = randomUUID();
  await write(storeOf(tenant), ["one", "two", "three", "four"]);
  const change = async (sql: string): Promise<void> => {
    await database.admin.query("ALTER TABLE palimpsest.entry DISABLE TRIGGER entry_is_only_erased");
    await database.admin.query(sql, [tenant]);
    await database.admin.query("ALTER TABLE palimpsest.entry ENABLE TRIGGER entry_is_only_erased");
  };
  const wrong = storeOf(tenant, localKeyRing({ pool: database.workers, masterKey: randomBytes(32) }));
  await expect(readAll(wrong)).rejects.toMatchObject({ code: "seal-broken" });
  await change(
    `UPDATE palimpsest.entry SET payload = (SELECT payload FROM palimpsest.entry AS other WHERE other.tenant = $1 AND other.sequence = 3)
     WHERE tenant = $1 AND sequence = 2`,
  );
  await expect(readAll(storeOf(tenant))).rejects.toMatchObject({ code: "seal-broken" });
  await expect(readAll(storeOf(tenant))).rejects.toThrow(/"entry",".*",2,"message"/);
});

test("without a key ring an encrypted session cannot be opened, instead of being continued as if it were empty", async () => {
  const tenant = randomUUID();
  await write(storeOf(tenant), ["one"]);
  await expect(open(openPlain(tenant))).rejects.toMatchObject({ code: "no-key-ring" });
});

describe("a key that is lost", () => {
  test("erases all that the tenant has, in this process at once, and the tenant begins anew", async () => {
    const [tenant, other] = [randomUUID(), randomUUID()];
    for (const one of [tenant, other]) await write(storeOf(one), ["the secret", "of a tenant"]);
    const store = storeOf(tenant);
    await store.setMetadata("s", { title: "secret" });
    const files = [await keep(store, "small"), await keep(store, "large".repeat(10_000))];
    const before = await readAll(store);
    await keyRing.forgetTenantKey(tenant);

    const after = await readAll(store);
    expect(after).toEqual(before.map((entry) => ({ ...entry, payload: undefined })));
    expect(checkChain(after, EMPTY_LOG, sha256)).toEqual([]);
    expect(await store.readMetadata("s")).toBeUndefined();
    for (const file of files) expect(await readResult(store, file)).toBeUndefined();
    const reader = (await store.openReader("s"))!;
    expect(await reader.search("secret", { limit: 9 })).toEqual([]);

    await write(store, ["a new beginning"]);
    const session = await open(store);
    const sent = JSON.stringify((await session.prepare()) as unknown);
    expect(sent).toContain("a new beginning");
    expect(sent).not.toContain("secret");
    await session.close();
    expect((await readAll(storeOf(other))).every(({ payload }) => payload !== undefined)).toBe(true);
  });

  test("erases in other processes when they look again", async () => {
    const tenant = randomUUID();
    let nowMs = 0;
    const theirs = localKeyRing({ pool: database.workers, masterKey, maxAgeMs: 1_000, clock: { now: () => nowMs } });
    const store = storeOf(tenant, theirs);
    const isReadable = async (): Promise<boolean> =>
      (await readAll(store)).some(({ payload }) => payload !== undefined);
    await write(store, ["one"]);
    expect(await isReadable()).toBe(true);
    await keyRing.forgetTenantKey(tenant);
    nowMs += 999;
    expect(await isReadable()).toBe(true);
    nowMs += 2;
    expect(await isReadable()).toBe(false);
  });

  test("among others leaves a log that opens, and shows what the others encrypted", async () => {
    const tenant = randomUUID();
    const store = storeOf(tenant);
    await write(store, ["under the first key"]);
    const first = await keep(store, "of the first key");
    const id = await keyRing.rotate(tenant);
    await write(store, ["under the second key", "and this"]);
    const second = await keep(store, "of the second key");
    for (const text of ["first", "second"]) expect(JSON.stringify(await readAll(store))).toContain(`the ${text} key`);
    expect(await readResult(store, first)).toBe("of the first key");

    await database.admin.query(
      "DELETE FROM palimpsest.tenant_key WHERE tenant = $1 AND id <> $2 AND purpose = 'payload'",
      [tenant, id],
    );
    const fresh = storeOf(tenant, localKeyRing({ pool: database.workers, masterKey }));
    const session = await open(fresh);
    await session.append("later");
    const sent = JSON.stringify((await session.prepare()) as unknown);
    for (const text of ["under the second key", "and this", "later"]) expect(sent).toContain(text);
    expect(sent).not.toContain("first");
    await session.close();
    expect(await readResult(fresh, first)).toBeUndefined();
    expect(await readResult(fresh, second)).toBe("of the second key");
    // The same content again, under the key that is there.
    expect(await keep(fresh, "of the first key")).toBe(first);
    expect(await readResult(fresh, first)).toBe("of the first key");
  });

  test("with a boundary and a fork among what it encrypted leaves sessions that open", async () => {
    const tenant = randomUUID();
    const store = storeOf(tenant);
    const summary = { role: "user", blocks: [{ kind: "text", text: "Earlier." }], origin: "summary" } as const;
    const session = await open(store);
    const numbers = await session.append(Array.from({ length: 20 }, (_, index) => `message ${index}`));
    await session.history.fold({ from: numbers[0]!, to: numbers[9]! }, [summary], "test");
    await session.close();
    await keyRing.rotate(tenant);
    await write(store, ["after"]);
    await database.admin.query(
      "DELETE FROM palimpsest.tenant_key WHERE tenant = $1 AND purpose = 'payload' AND number = 1",
      [tenant],
    );
    const again = await open(storeOf(tenant, localKeyRing({ pool: database.workers, masterKey })));
    await again.append("later");
    const sent = JSON.stringify((await again.prepare()) as unknown);
    expect(sent).toContain("after");
    expect(sent).toContain("later");
    await again.close();
  });
});

test("a master key far away: gone for good it erases, out of reach it is an error, and it is asked once for each key", async () => {
  const tenant = randomUUID();
  const local = localMasterKey(masterKey);
  let state: "there" | "gone" | "unreachable" = "there";
  let asked = 0;
  const far: MasterKey = {
    wrap: local.wrap,
    async unwrap(wrapped, context) {
      asked++;
      if (state === "unreachable") throw new Error("no route to the key service");
      return state === "gone" ? undefined : local.unwrap(wrapped, context);
    },
  };
  const openFar = (): Store => storeOf(tenant, envelopeKeyRing({ pool: database.workers, masterKey: far }));
  await write(openFar(), ["one", "two"]);
  asked = 0;
  const store = openFar();
  for (let times = 0; times < 3; times++) expect((await readAll(store))[1]?.payload).toContain("one");
  expect(asked).toBe(1);
  state = "unreachable";
  await expect(readAll(openFar())).rejects.toThrow("no route to the key service");
  // What is cached is still read.
  expect((await readAll(store))[1]?.payload).toContain("one");
  state = "gone";
  expect((await readAll(openFar())).every(({ payload }) => payload === undefined)).toBe(true);
});

test("keys are made once, however many ask at a time, and others of a tenant do not open with its key", async () => {
  const tenant = randomUUID();
  const rings = Array.from({ length: 8 }, () => localKeyRing({ pool: database.workers, masterKey }));
  const ids = await Promise.all(rings.map(async (ring) => (await ring.current(tenant)).id));
  expect(new Set(ids).size).toBe(1);
  const ring = rings[0]!;
  const { id } = await ring.current(tenant);
  expect(await ring.find(randomUUID(), id)).toBeUndefined();
  expect(await ring.find(tenant, randomUUID())).toBeUndefined();
  const rotated = await Promise.all(rings.map((one) => one.rotate(tenant)));
  expect(rotated).not.toContain(id);
  expect(Buffer.from((await ring.find(tenant, id))!)).toHaveLength(32);
  expect(await ring.names(tenant)).toEqual(await rings[1]!.names(tenant));
  expect(() => localKeyRing({ pool: database.workers, masterKey: randomBytes(16) })).toThrow(/32 random bytes/);
});

test("a session that was begun before there were keys is continued with them, and its results are found", async () => {
  const tenant = randomUUID();
  const plain = openPlain(tenant);
  await write(plain, ["in the open"]);
  const file = await keep(plain, "an open result");
  const store = storeOf(tenant);
  await write(store, ["under a key"]);
  const text = JSON.stringify(await readAll(store));
  expect(text).toContain("in the open");
  expect(text).toContain("under a key");
  expect(await readResult(store, file)).toBe("an open result");
  await store.results.remove("s", file);
  expect(await readResult(store, file)).toBeUndefined();
});

test("an export has digests that everybody can check, and an import into an encrypted database has none", async () => {
  const tenant = randomUUID();
  const store = storeOf(tenant);
  await write(store, ["one", "two", "three"]);
  const writer = await store.openWriter("s", { owner: "test" });
  if (writer.kind === "opened") await writer.writer.erase(3);
  await store.close();
  const lines = await Array.fromAsync(exportLog((await storeOf(tenant).openReader("s"))!));
  const memory = memoryStore();
  const elsewhere = await memory.openWriter("s", { owner: "test" });
  if (elsewhere.kind === "busy") throw new Error("busy");
  expect(await importLog(elsewhere.writer, lines)).toEqual({ kind: "imported", entries: lines.length });
  const back = storeOf(randomUUID());
  const imported = await back.openWriter("s", { owner: "test" });
  if (imported.kind === "busy") throw new Error("busy");
  expect(await importLog(imported.writer, lines)).toEqual({ kind: "imported", entries: lines.length });
  const entries = await imported.writer.read(1, 99);
  expect(entries.map(({ payload }) => payload)).toEqual((await readAll(storeOf(tenant))).map(({ payload }) => payload));
  for (const { payload, digest } of entries) if (payload !== undefined) expect(digest).not.toBe(sha256(payload));
  const withoutPayloads = entries.map((entry) => ({ ...entry, payload: undefined }));
  expect(checkChain(withoutPayloads, EMPTY_LOG, sha256)).toEqual([]);
});

test("a tenant is exported as it was written, and imported under keys of its own", async () => {
  const [tenant, other] = [randomUUID(), randomUUID()];
  const postgres = openPostgres({ ...options(), keyRing });
  await write(storeOf(tenant), ["the words of a tenant"]);
  await storeOf(tenant).setMetadata("s", { title: "a title" });
  const files = [await keep(storeOf(tenant), "small"), await keep(storeOf(tenant), "large".repeat(1_000))];
  const lines = await Array.fromAsync(postgres.tenants.export(tenant));
  expect(lines.join()).toContain("the words of a tenant");
  expect(lines.join()).not.toContain("sealed");
  expect(await postgres.tenants.import(other, lines)).toMatchObject({ kind: "imported", sessions: 1, results: 2 });
  const copy = storeOf(other);
  expect(JSON.stringify(await readAll(copy))).toContain("the words of a tenant");
  expect(await copy.readMetadata("s")).toEqual({ title: "a title" });
  expect(await readResult(copy, files[0]!)).toBe("small");
  expect(await readResult(copy, files[1]!)).toBe("large".repeat(1_000));
  await postgres.tenants.delete(other);
  expect(await keyRing.find(other, (await keyRing.current(tenant)).id)).toBeUndefined();
  expect(await storeOf(other).list()).toEqual({ sessions: [] });
});

test("forks of an encrypted session are found by the database", async () => {
  const store = storeOf(randomUUID());
  const parent = await open(store, "parent");
  await parent.append("hello");
  const fork = await parent.fork({ id: "fork", source: "test" });
  await fork.append("on my own");
  await fork.close();
  await parent.close();
  expect(await store.delete("parent")).toEqual({ kind: "cited", forks: ["fork"] });
});
