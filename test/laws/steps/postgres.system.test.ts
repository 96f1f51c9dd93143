import { randomUUID } from "node:crypto";
import { openPostgres } from "@palimpsest/postgres";
import { type StartedDatabase, startDatabase } from "@palimpsest/postgres/test-server";
import { afterAll, beforeAll, test } from "vitest";
import { checkKills } from "./check-kills.ts";

const RUNS = process.env["PALIMPSEST_SLOW"] === undefined ? 20 : 400;

let database: StartedDatabase;

beforeAll(async () => {
  database = await startDatabase();
});

afterAll(() => database.stop());

test("in PostgreSQL: a turn whose processes are killed leaves the same log as one that is not, but for what it tells as unknown", async () => {
  const postgres = openPostgres({ pool: database.workers, leaseMs: 0 });
  await checkKills(
    "PostgreSQL",
    () => {
      const store = postgres.store({ tenant: randomUUID() });
      return { store, close: () => store.close() };
    },
    RUNS,
  );
}, 3_600_000);
