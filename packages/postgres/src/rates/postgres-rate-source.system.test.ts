import { randomUUID } from "node:crypto";
import { memoryRateSource, type RateGrant } from "@palimpsest/coordination";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type StartedDatabase, startDatabase } from "../test-server/start-database.ts";
import { testRatesOverPool } from "../testing/test-rates-over-pool.ts";
import { postgresRateSource } from "./postgres-rate-source.ts";

let database: StartedDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.stop());

testRatesOverPool(() => database.workers);

const AMOUNT = fc.record({ requests: fc.integer({ min: 0, max: 3 }), tokens: fc.integer({ min: 0, max: 3_000 }) });
const CLAIM = fc.record({
  tenant: fc.constantFrom("a", "b", "c", "d"),
  returned: AMOUNT,
  needed: AMOUNT,
  wanted: AMOUNT,
});
const STEP = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("exchange" as const),
      claims: fc.uniqueArray(CLAIM, { selector: ({ tenant }) => tenant, minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("pause" as const), forMs: fc.integer({ min: 1, max: 3_000 }) }),
  },
);
const LIMIT = fc.record(
  {
    requestsPerMinute: fc.integer({ min: 10, max: 600 }),
    tokensPerMinute: fc.integer({ min: 1_000, max: 600_000 }),
    burstMs: fc.integer({ min: 0, max: 20_000 }),
  },
  { requiredKeys: [] },
);

test("any sequence of exchanges has the same grants and waits in the database and in memory", async () => {
  const steps = fc.array(fc.record({ passedMs: fc.integer({ min: 1, max: 2_000 }), step: STEP }), {
    minLength: 1,
    maxLength: 25,
  });
  await fc.assert(
    fc.asyncProperty(LIMIT, steps, async (limit, all) => {
      let nowMs = 1_800_000_000_000;
      const clock = { now: () => nowMs };
      const sources = [memoryRateSource({ clock }), postgresRateSource({ pool: database.workers, clock })];
      const bucket = { key: randomUUID(), model: "model" };
      for (const { passedMs, step } of all) {
        nowMs += passedMs;
        if (step.kind === "pause") await Promise.all(sources.map((source) => source.pause(bucket, step.forMs)));
        else {
          const grants = await Promise.all(sources.map((source) => source.exchange(bucket, limit, step.claims)));
          expect(grants[1]?.map(rounded)).toEqual(grants[0]?.map(rounded));
        }
      }
    }),
    { numRuns: 60 },
  );
});

/** Sums of fractions differ in their last digits. */
function rounded({ tenant, granted, waitMs }: RateGrant) {
  const near = (value: number): number => Number(value.toPrecision(9));
  return { tenant, requests: near(granted.requests), tokens: near(granted.tokens), waitMs: near(waitMs) };
}
