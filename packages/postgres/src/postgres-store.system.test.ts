import { randomUUID } from "node:crypto";
import { openSession, type Session } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { manualStoreClock } from "palimpsest/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Pool } from "./database.ts";
import { openPostgres } from "./open-postgres.ts";
import { type StartedDatabase, startDatabase } from "./test-server/start-database.ts";
import { sealed } from "./testing/sealed.ts";
import { testOverPool } from "./testing/test-over-pool.ts";

const DAY_MS = 86_400_000;
let database: StartedDatabase;

beforeAll(async () => {
  database = await startDatabase();
});

afterAll(() => database.stop());

testOverPool(() => ({ pool: database.workers }));

/** A pool that counts its statements, since it was last asked. */
/** Statements that are under way at the same time are one round trip. */
function countingPool(): { readonly pool: Pool; trips(): number } {
  let trips = 0;
  let underWay = 0;
  return {
    pool: {
      async query(text, values) {
        if (underWay === 0) trips++;
        underWay++;
        try {
          return await database.workers.query(text, values);
        } finally {
          underWay--;
        }
      },
    },
    trips() {
      const counted = trips;
      trips = 0;
      return counted;
    },
  };
}

/** Its heartbeat comes when this clock is advanced: by the machine's it would be a round trip more, at times. */
const openCounted = (pool: Pool) => openPostgres({ pool, clock: manualStoreClock() }).store({ tenant: randomUUID() });

test("opening, appending, closing and deleting are one round trip each, also when they are refused", async () => {
  const { pool, trips } = countingPool();
  const store = openCounted(pool);
  const inOne = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    expect(trips()).toBe(1);
    return result;
  };
  const opened = await inOne(store.openWriter("s", { owner: "first" }));
  if (opened.kind === "busy") throw new Error("busy");
  expect((await inOne(store.openWriter("s", { owner: "second" }))).kind).toBe("busy");
  const entries = sealed(["one", "two", "three"]);
  expect((await inOne(opened.writer.append(entries))).kind).toBe("appended");
  expect((await inOne(opened.writer.append(entries))).kind).toBe("out-of-order");
  expect((await inOne(opened.writer.append(sealed(["four"], entries.at(-1))))).kind).toBe("appended");
  expect((await inOne(opened.writer.append(entries.slice(0, 1)))).kind).toBe("out-of-order");
  await inOne(opened.writer.close());
  expect(await inOne(store.delete("s"))).toEqual({ kind: "deleted" });
});

test("a session is opened in at most 3 round trips, whatever is in its log", async () => {
  const { pool, trips } = countingPool();
  const store = openCounted(pool);
  const summary = { role: "user", blocks: [{ kind: "text", text: "Earlier." }], origin: "summary" } as const;
  let id = "s";
  const reopen = (system?: string) =>
    // Nothing is sent here.
    openSession({
      store,
      id,
      provider: anthropic({} as never),
      model: "claude-opus-5-5",
      ...(system && { system }),
    });
  const measure = async (work: (session: Session) => Promise<void>, system?: string): Promise<number> => {
    trips();
    const session = await reopen(system);
    const opening = trips();
    await work(session);
    await session.close();
    return opening;
  };
  const opening: Record<string, number> = {};
  let numbers: readonly number[] = [];
  opening["new"] = await measure(async (session) => {
    numbers = await session.append(Array.from({ length: 300 }, (_, index) => `message ${index}`));
  }, "Be brief.");
  opening["300 messages"] = await measure(async (session) => {
    await session.history.fold({ from: numbers[0]!, to: numbers[249]! }, [summary], "test");
    await session.append(["after", "the boundary"]);
  });
  opening["a boundary"] = await measure(async (session) => {
    for (const entry of [numbers[260]!, numbers[270]!, numbers[280]!]) await session.erase(entry);
    await session.history.fold({ from: numbers[0]!, to: numbers[255]! }, [summary], "test");
  });
  opening["erased entries before a boundary"] = await measure(async (session) => {
    await session.history.fold({ from: numbers[0]!, to: numbers[290]! }, [summary], "test");
    await session.append("later");
  }, "Be long.");
  opening["another configuration"] = await measure(async (session) => {
    await session.history.rewind(session.history.newestEntry - 1);
    await session.append("other words");
  });
  opening["a rewind"] = await measure(async (session) => {
    const fork = await session.fork({ id: "f", source: "test" });
    numbers = await fork.append(Array.from({ length: 30 }, (_, index) => `message ${index} of the fork`));
    await fork.close();
    await session.append("after the fork");
  });
  id = "f";
  opening["a fork"] = await measure(async (session) => {
    await session.history.fold({ from: numbers[0]!, to: numbers[20]! }, [summary], "test");
    await session.append("after the boundary");
  });
  opening["a fork with a boundary"] = await measure(async (session) => {
    await session.history.rewind(session.history.newestEntry - 1);
    await session.append("other words");
  });
  opening["a fork with a rewind"] = await measure(async () => {});
  expect(opening).toEqual({
    new: 2,
    "300 messages": 1,
    "a boundary": 2,
    "erased entries before a boundary": 3,
    "another configuration": 2,
    "a rewind": 2,
    "a fork": 3,
    "a fork with a boundary": 3,
    "a fork with a rewind": 3,
  });
});

test("only sessions of the own tenant expire", async () => {
  const postgres = openPostgres({ pool: database.workers });
  const [mine, theirs] = [postgres.store({ tenant: randomUUID() }), postgres.store({ tenant: randomUUID() })];
  for (const store of [mine, theirs]) {
    const opened = await store.openWriter("s", { owner: "x" });
    if (opened.kind === "opened") await opened.writer.close();
  }
  const expired = await mine.expire({ silentSinceMs: Number.POSITIVE_INFINITY });
  expect(expired).toEqual({ deleted: ["s"], kept: [] });
  expect((await theirs.list()).sessions).toEqual([{ id: "s" }]);
});

test("rows of processes that are long gone are removed by the next process", async () => {
  const clock = manualStoreClock();
  const tenant = randomUUID();
  const openOne = async (): Promise<void> => {
    await openPostgres({ pool: database.workers, clock }).store({ tenant }).openWriter(randomUUID(), { owner: "x" });
  };
  const countOld = async (): Promise<number> =>
    (await database.admin.query("SELECT FROM palimpsest.worker WHERE renewed_at_ms < $1", [clock.now() - DAY_MS]))
      .rowCount!;
  await openOne();
  clock.stall(2 * DAY_MS);
  expect(await countOld()).toBeGreaterThan(0);
  await openOne();
  expect(await countOld()).toBe(0);
});

test("the database's clock decides leases, if no other is given", async () => {
  const store = openPostgres({ pool: database.workers, leaseMs: 60_000 }).store({ tenant: randomUUID() });
  await store.openWriter("s", { owner: "first" });
  const holder = await store.writerOf("s");
  const { rows } = await database.admin.query("SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now");
  expect(Math.abs(holder!.activeAtMs - rows[0].now)).toBeLessThan(60_000);
  expect(holder!.freeAtMs).toBe(holder!.activeAtMs + 60_000);
  await store.close();
});

test.each(["", " ", "a b", "s\n", "ü", "a\0b", "x".repeat(201), "\ud83d"])("refuses the name %j", async (name) => {
  const postgres = openPostgres({ pool: database.workers });
  expect(() => postgres.store({ tenant: name })).toThrow(/1 to 200/);
  const store = postgres.store({ tenant: "t" });
  await expect(store.openWriter(name, { owner: "x" })).rejects.toMatchObject({ code: "invalid-option" });
  await expect(store.openReader(name)).rejects.toMatchObject({ code: "invalid-option" });
  await expect(store.results.create(name)).rejects.toMatchObject({ code: "invalid-option" });
});

test("refuses what it could not give back as it was, and a closed log says so", async () => {
  const store = openPostgres({ pool: database.workers }).store({ tenant: randomUUID() });
  const opened = await store.openWriter("s", { owner: "x" });
  if (opened.kind === "busy") throw new Error("busy");
  const { writer } = opened;
  const [entry] = sealed(["message"]);
  for (const [field, value] of [
    ["payload", '"\ud83d"'],
    ["payload", '"\0"'],
    ["kind", "a\0b"],
    ["version", 1.5],
    ["atMs", Number.NaN],
    ["hash", "no hash"],
  ] as const)
    await expect(writer.append([{ ...entry!, [field]: value }])).rejects.toMatchObject({
      code: "invalid-entry",
      field,
    });
  await writer.close();
  await writer.close();
  await expect(writer.append([])).rejects.toMatchObject({ code: "closed-store" });
  await store.close();
  await expect(store.list()).rejects.toMatchObject({ code: "closed-store" });
});
