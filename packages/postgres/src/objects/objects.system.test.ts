import { createHash, randomUUID } from "node:crypto";
import { CreateBucketCommand } from "@aws-sdk/client-s3";
import type { Store } from "palimpsest";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPostgres } from "../open-postgres.ts";
import { type StartedDatabase, startDatabase } from "../test-server/start-database.ts";
import { type StartedS3, startS3 } from "../testing/start-s3.ts";
import { testResultsOverPool } from "../testing/test-over-pool.ts";
import type { ObjectStore } from "./object-store.ts";
import { s3Objects } from "./s3-objects.ts";
import { sweepObjects } from "./sweep-objects.ts";

const DAY_MS = 86_400_000;
const MIB = 1_048_576;
let database: StartedDatabase;
let s3: StartedS3;

beforeAll(async () => {
  [database, s3] = await Promise.all([startDatabase(), startS3()]);
});

afterAll(async () => {
  await s3.stop();
  await database.stop();
});

const inBucket = (aboveBytes: number) => ({
  pool: database.workers,
  largeResults: { objects: s3Objects(s3), aboveBytes },
});

describe("small ones in the database, the others in the bucket:", () => testResultsOverPool(() => inBucket(50_000)));
describe("all but empty ones in the bucket:", () => testResultsOverPool(() => inBucket(0)));

interface Bucket {
  readonly objects: ObjectStore;
  readonly tenant: string;
  readonly store: Store;
  /** What is in the bucket now. */
  keys(): Promise<readonly string[]>;
  sweep(options?: Partial<Parameters<typeof sweepObjects>[0]>): ReturnType<typeof sweepObjects>;
  /** Another view of the same, over this store of objects. */
  over(objects: ObjectStore): Store;
}

/** A part of the bucket for one test, of which the sweep of another test removes nothing that is kept. */
async function openBucket(): Promise<Bucket> {
  const tenant = randomUUID();
  const bucket = randomUUID();
  await s3.client.send(new CreateBucketCommand({ Bucket: bucket }));
  const objects = s3Objects({ client: s3.client, bucket, prefix: "palimpsest/" });
  const over = (some: ObjectStore): Store =>
    openPostgres({ pool: database.workers, largeResults: { objects: some, aboveBytes: 0 } }).store({ tenant });
  return {
    objects,
    tenant,
    store: over(objects),
    keys: async () => (await Array.fromAsync(objects.list(""))).flat().map(({ key }) => key),
    sweep: (options) => sweepObjects({ pool: database.workers, objects, ...options }),
    over,
  };
}

async function keep(store: Store, content: string, session = "s"): Promise<string> {
  const draft = await store.results.create(session);
  await draft.write(new TextEncoder().encode(content));
  return (await draft.keep("txt")).file;
}

async function read(store: Store, file: string, session = "s"): Promise<string | undefined> {
  const found = await store.results.find(session, file);
  return found && Buffer.concat(await Array.fromAsync(found.chunks())).toString();
}

async function countRows(table: string, where: string): Promise<number> {
  const { rows } = await database.admin.query(`SELECT count(*)::int AS count FROM palimpsest.${table} WHERE ${where}`);
  return rows[0].count;
}

describe("what is deleted", () => {
  test.each<[string, (bucket: Bucket, file: string) => Promise<unknown>]>([
    ["with its session", ({ store }) => store.delete("s")],
    ["by expiry", ({ store }) => store.expire({ silentSinceMs: Number.POSITIVE_INFINITY })],
    ["by erasure of one result", ({ store }, file) => store.results.remove("s", file)],
    [
      "with its tenant",
      ({ tenant }) => database.admin.query("DELETE FROM palimpsest.result WHERE tenant = $1", [tenant]),
    ],
  ])("%s is gone from the bucket after a sweep, and nothing else is", async (_, remove) => {
    const bucket = await openBucket();
    const { store } = bucket;
    const opened = await store.openWriter("s", { owner: "test" });
    if (opened.kind === "opened") await opened.writer.close();
    const file = await keep(store, "to be deleted");
    const other = openPostgres({
      pool: database.workers,
      largeResults: { objects: bucket.objects, aboveBytes: 0 },
    }).store({ tenant: randomUUID() });
    const rest = await keep(other, "to be deleted");
    await bucket.sweep();
    expect(await bucket.keys()).toHaveLength(2);
    await remove(bucket, file);
    expect(await read(store, file)).toBeUndefined();
    expect((await bucket.sweep()).results).toBeGreaterThanOrEqual(1);
    expect(await bucket.keys()).toHaveLength(1);
    expect(await read(other, rest)).toBe("to be deleted");
    expect((await bucket.sweep()).results).toBe(0);
  });

  test("stays if the transaction is taken back", async () => {
    const { store, tenant, sweep } = await openBucket();
    const file = await keep(store, "kept after all");
    const client = await database.admin.connect();
    await client.query("BEGIN");
    await client.query("DELETE FROM palimpsest.result WHERE tenant = $1", [tenant]);
    await client.query("ROLLBACK");
    client.release();
    await sweep();
    expect(await read(store, file)).toBe("kept after all");
  });

  test("is removed whole by later sweeps, wherever the first one was killed", async () => {
    const bucket = await openBucket();
    for (let step = 0; step < 12; step++) {
      for (const session of ["a", "b", "c"]) await keep(bucket.store, `of ${session}`, session);
      for (const session of ["a", "b", "c"]) await bucket.store.results.remove(session);
      let done = 0;
      const untilKilled = <Rest extends unknown[], T>(work: (...rest: Rest) => T): ((...rest: Rest) => T) => {
        return (...rest) => {
          if (done++ >= step) throw new Error("killed");
          return work(...rest);
        };
      };
      const { objects } = bucket;
      const dying: ObjectStore = { ...objects, list: untilKilled(objects.list), remove: untilKilled(objects.remove) };
      const pool = {
        query: untilKilled((text: string, values?: unknown[]) => database.workers.query(text, values)),
      };
      await bucket.sweep({ objects: dying, pool }).catch(() => undefined);
      await bucket.sweep();
      expect(await bucket.keys(), `killed at step ${step}`).toEqual([]);
    }
  });
});

describe("an upload that was cut off", () => {
  test("by an error is discarded by its writer", async () => {
    const bucket = await openBucket();
    const failing: ObjectStore = {
      ...bucket.objects,
      async put(key, bytes) {
        if (key.endsWith("/1")) throw new Error("the network is gone");
        await bucket.objects.put(key, bytes);
      },
    };
    const draft = await bucket.over(failing).results.create("s");
    const write = async (): Promise<void> => {
      for (let piece = 0; piece < 20; piece++) await draft.write(new Uint8Array(MIB));
    };
    await expect(write()).rejects.toThrow("the network is gone");
    expect(await bucket.keys()).toHaveLength(1);
    await draft.discard();
    expect(await bucket.keys()).toEqual([]);
  });

  test("by the end of its process is removed after a day, and cannot be kept any more", async () => {
    const bucket = await openBucket();
    const draft = await bucket.store.results.create("s");
    for (let piece = 0; piece < 9; piece++) await draft.write(new Uint8Array(MIB));
    await bucket.sweep();
    expect(await bucket.keys()).toHaveLength(1);
    const clock = { now: () => Date.now() + 2 * DAY_MS };
    await bucket.sweep({ clock });
    expect(await bucket.keys()).toEqual([]);
    await expect(draft.keep("txt")).rejects.toMatchObject({ code: "result-damaged" });
    expect(await bucket.keys()).toEqual([]);
    expect(await bucket.store.results.measure("s")).toBeUndefined();
  });
});

describe("a row without its object", () => {
  test("is found to be gone, and mended by keeping the same content again", async () => {
    const { store, objects, keys } = await openBucket();
    const file = await keep(store, "lost");
    for (const key of await keys()) await objects.remove(key);
    expect(await store.results.find("s", file)).toBeUndefined();
    expect(await keep(store, "lost")).toBe(file);
    expect(await read(store, file)).toBe("lost");
    expect(await countRows("result_object", "state = 'uploading'")).toBe(0);
  });

  test("that lost a part of it, or has another in its place, is an error and no content", async () => {
    const { store, objects, keys } = await openBucket();
    const file = await keep(store, "x".repeat(20 * MIB));
    const [first, second] = (await keys()).toSorted();
    await objects.remove(second!);
    await expect(read(store, file)).rejects.toMatchObject({ code: "result-damaged" });
    await keep(store, "x".repeat(20 * MIB));
    expect((await read(store, file))?.length).toBe(20 * MIB);
    const changed = await keep(store, "four", "other");
    const key = (await keys()).find((one) => one !== first && one.split("/")[1] !== first!.split("/")[1]);
    await objects.put(key!, Buffer.from("five"));
    await expect(read(store, changed, "other")).rejects.toThrow(/not those that were kept/);
  });
});

test("objects that the database does not know are removed on request, when they are old", async () => {
  const { store, objects, keys, sweep } = await openBucket();
  const file = await keep(store, "known");
  await objects.put("no/such/result/0", Buffer.from("stray"));
  await sweep({ strays: "remove" });
  expect(await keys()).toHaveLength(2);
  const clock = { now: () => Date.now() + 2 * DAY_MS };
  expect((await sweep({ clock })).strays).toBe(0);
  expect((await sweep({ strays: "remove", clock })).strays).toBe(1);
  expect(await read(store, file)).toBe("known");
});

test("keys say nothing of tenants and sessions, and no two share a folder", async () => {
  const bucket = await openBucket();
  const seen: string[][] = [];
  const names = [
    ["a/b", "c"],
    ["a", "b/c"],
    ["a/b/", "c"],
    ["A", "b/c"],
    ["a", "c"],
  ] as const;
  for (const [tenant, session] of names) {
    const before = await bucket.keys();
    const store = openPostgres({
      pool: database.workers,
      largeResults: { objects: bucket.objects, aboveBytes: 0 },
    }).store({ tenant });
    await keep(store, "the same", session);
    const [added] = (await bucket.keys()).filter((key) => !before.includes(key));
    seen.push(added!.split("/"));
    const guesses = [tenant, session, `${tenant}/${session}`].map((name) =>
      createHash("sha256").update(name).digest("hex").slice(0, 32),
    );
    for (const guess of guesses) expect(added).not.toContain(guess);
    expect(added).toMatch(/^[0-9a-f-]{36}\/[0-9a-f]{32}\/[0-9a-f-]{36}\/0$/);
  }
  const folders = seen.map(([tenant, session]) => `${tenant}/${session}`);
  expect(new Set(folders).size).toBe(names.length);
  // Two sessions of one tenant are below one folder: so it can be removed as a whole.
  expect(seen[1]?.[0]).toBe(seen[4]?.[0]);
});

test("a worker reaches no object of another tenant, and writes to the list of objects by its functions only", async () => {
  const [mine, theirs] = [await openBucket(), await openBucket()];
  const file = await keep(theirs.store, "theirs");
  await keep(mine.store, "mine");
  const [key] = (await theirs.keys()).map((one) => one.slice(0, one.lastIndexOf("/")));
  for (const sql of [
    "SELECT * FROM palimpsest.result_object",
    "DELETE FROM palimpsest.result_object",
    "UPDATE palimpsest.result_object SET state = 'doomed'",
  ])
    await expect(database.workers.query(sql), sql).rejects.toMatchObject({ code: "42501" });
  await database.workers.query("SELECT palimpsest.doom_object($1, $2)", [mine.tenant, key]);
  const taken =
    "SELECT outcome FROM palimpsest.keep_content($1, 's', 'x', gen_random_uuid(), 1, NULL, NULL, NULL, $2, NULL, NULL, NULL)";
  expect((await database.workers.query(taken, [mine.tenant, key])).rows).toEqual([{ outcome: "gone" }]);
  const named = `WITH tenant AS (SELECT set_config('palimpsest.tenant', $1, true))
    INSERT INTO palimpsest.result SELECT set_config, 's', 'x', gen_random_uuid(), 1, 1, $2 FROM tenant`;
  await expect(database.workers.query(named, [mine.tenant, key])).rejects.toMatchObject({ code: "42501" });
  await theirs.sweep();
  expect(await read(theirs.store, file)).toBe("theirs");
});

test("without the bucket a large result is an error that says so, and a missing bucket is no missing result", async () => {
  const { store, tenant } = await openBucket();
  const file = await keep(store, "large");
  const without = openPostgres({ pool: database.workers }).store({ tenant });
  await expect(without.results.find("s", file)).rejects.toMatchObject({ code: "no-object-store" });
  const objects = s3Objects({ client: s3.client, bucket: "missing-bucket" });
  const wrong = openPostgres({ pool: database.workers, largeResults: { objects } }).store({ tenant });
  await expect(wrong.results.find("s", file)).rejects.toMatchObject({ code: "object-store-failed", status: 404 });
});

test("drafts in the database that nobody kept are expired after a day, and those that are written now are not", async () => {
  const tenant = randomUUID();
  const store = openPostgres({ pool: database.workers }).store({ tenant });
  const [left, now] = [await store.results.create("s"), await store.results.create("s")];
  for (const draft of [left, now]) await draft.write(new Uint8Array(MIB));
  const file = await keep(store, "x".repeat(MIB));
  const [first] = (
    await database.admin.query("SELECT content FROM palimpsest.result_chunk WHERE tenant = $1", [tenant])
  ).rows;
  const old = "UPDATE palimpsest.result_chunk SET at_ms = 1 WHERE tenant = $1 AND content = $2";
  await database.admin.query(old, [tenant, first.content]);
  await store.expire({ silentSinceMs: Number.POSITIVE_INFINITY });
  expect(await countRows("result_chunk", `tenant = '${tenant}' AND content = '${first.content}'`)).toBe(0);
  await now.keep("json");
  expect((await read(store, file))?.length).toBe(MIB);
  expect((await store.results.measure("s"))?.bytes).toBe(2 * MIB);
});

test("a result of 100 MB is written and read with a bounded amount of memory", async () => {
  const { store } = await openBucket();
  const piece = new Uint8Array(MIB).fill(120);
  const before = process.memoryUsage().rss;
  let most = before;
  const look = (): void => {
    most = Math.max(most, process.memoryUsage().rss);
  };
  const draft = await store.results.create("s");
  for (let count = 0; count < 100; count++) {
    await draft.write(piece);
    look();
  }
  const { file } = await draft.keep("txt");
  let bytes = 0;
  for await (const chunk of (await store.results.find("s", file))!.chunks()) {
    bytes += chunk.length;
    look();
  }
  expect(bytes).toBe(100 * MIB);
  expect((most - before) / MIB).toBeLessThan(90);
});
