import { randomUUID } from "node:crypto";
import { testRateSource } from "@palimpsest/coordination/test-rate-source";
import { afterAll, beforeAll, test } from "vitest";
import { type StartedDatabase, startDatabase } from "../test-server/start-database.ts";
import { postgresRateSource } from "./postgres-rate-source.ts";

let database: StartedDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.stop());

testRateSource({
  test,
  async place() {
    let nowMs = 1_800_000_000_000;
    const clock = { now: () => nowMs };
    return {
      open: async () => postgresRateSource({ pool: database.workers, clock }),
      bucket: { key: randomUUID(), model: "model" },
      advanceClock(byMs) {
        nowMs += byMs;
      },
    };
  },
});
