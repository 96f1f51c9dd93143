import { randomUUID } from "node:crypto";
import { testCoordination } from "@palimpsest/coordination/test-coordination";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type StartedDatabase, startDatabase } from "../test-server/start-database.ts";
import { openPostgresCoordination, type PostgresCoordination } from "./open-postgres-coordination.ts";

let database: StartedDatabase;

beforeAll(async () => {
  database = await startDatabase();
});

afterAll(() => database.stop());

testCoordination({
  test,
  async place() {
    const tenant = randomUUID();
    const opened: PostgresCoordination[] = [];
    const silentAfterMs = 300_000;
    let nowMs = 1_800_000_000_000;
    const clock = { now: () => nowMs };
    return {
      async open() {
        const coordination = openPostgresCoordination({ pool: database.workers, tenant, clock, silentAfterMs });
        opened.push(coordination);
        return coordination;
      },
      nowMs: clock.now,
      advanceClock(byMs) {
        nowMs += byMs;
      },
      silentAfterMs,
      async remove() {
        for (const coordination of opened) await coordination.close();
      },
    };
  },
});

test("tenants have leases and budgets of their own, and the database's clock decides if no other is given", async () => {
  const [mine, theirs] = [randomUUID(), randomUUID()].map((tenant) =>
    openPostgresCoordination({ pool: database.workers, tenant }),
  ) as [PostgresCoordination, PostgresCoordination];
  for (const { leases } of [mine, theirs]) expect((await leases.take("dream", { owner: "x" })).kind).toBe("taken");
  await mine.budgets.daily("extraction", 100).spend(60);
  expect(await theirs.budgets.daily("extraction", 100).leftTokens()).toBe(100);
  const { holder } = await mine.leases.read("dream");
  expect(Math.abs(holder!.takenAtMs - Date.now())).toBeLessThan(60_000);
});
