import { randomUUID } from "node:crypto";
import { manualStoreClock, testResults, testStore } from "palimpsest/testing";
import { test } from "vitest";
import { openPostgres, type PostgresOptions } from "../open-postgres.ts";

const LEASE_MS = 3_000;

/** Both contracts. Every case is another tenant of one database: what leaks from one to another fails a case. */
export function testOverPool(options: () => PostgresOptions): void {
  testStore({
    test,
    async place() {
      const tenant = randomUUID();
      const clock = manualStoreClock();
      return {
        open: async () => openPostgres({ ...options(), clock, leaseMs: LEASE_MS }).store({ tenant }),
        advanceClock: clock.advance,
        stall: clock.stall,
        leaseMs: LEASE_MS,
        remove: async () => {},
      };
    },
  });
  testResultsOverPool(options);
}

/** The contract of stored results alone: where they are kept changes nothing of logs and leases. */
export function testResultsOverPool(options: () => PostgresOptions): void {
  testResults({
    test,
    async place() {
      const tenant = randomUUID();
      return {
        open: async () => openPostgres(options()).store({ tenant }).results,
        remove: async () => {},
      };
    },
  });
}
