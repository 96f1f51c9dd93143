import { randomUUID } from "node:crypto";
import { testResults } from "palimpsest/test-results";
import { testStore } from "palimpsest/test-store";
import { afterAll, beforeAll, test } from "vitest";
import { openPostgres } from "./open-postgres.ts";
import { manualClock } from "./testing/manual-clock.ts";
import { type StartedDatabase, startDatabase } from "./testing/start-database.ts";

let database: StartedDatabase;

beforeAll(async () => {
  database = await startDatabase();
});

afterAll(() => database.stop());

// Every case is another tenant of one database: what leaks from one to another fails a case.
testStore({
  test,
  async place() {
    const tenant = randomUUID();
    const clock = manualClock();
    const leaseMs = 3_000;
    return {
      open: async () => openPostgres({ pool: database.workers, clock, leaseMs }).store({ tenant }),
      advanceClock: clock.advance,
      stall: clock.stall,
      leaseMs,
      remove: async () => {},
    };
  },
});

testResults({
  test,
  async place() {
    const tenant = randomUUID();
    return {
      open: async () => openPostgres({ pool: database.workers }).store({ tenant }).results,
      remove: async () => {},
    };
  },
});
