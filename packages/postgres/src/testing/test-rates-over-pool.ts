import { randomUUID } from "node:crypto";
import { testRateSource } from "@palimpsest/coordination/test-rate-source";
import { test } from "vitest";
import type { Pool } from "../database.ts";
import { postgresRateSource } from "../rates/postgres-rate-source.ts";

/** The contract of rate limits. Every case has a key of its own in one database. */
export function testRatesOverPool(pool: () => Pool): void {
  testRateSource({
    test,
    async place() {
      let nowMs = 1_800_000_000_000;
      const clock = { now: () => nowMs };
      return {
        open: async () => postgresRateSource({ pool: pool(), clock }),
        bucket: { key: randomUUID(), model: "model" },
        advanceClock(byMs) {
          nowMs += byMs;
        },
      };
    },
  });
}
