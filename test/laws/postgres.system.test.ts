import { randomUUID } from "node:crypto";
import { openPostgres } from "@palimpsest/postgres";
import { type StartedDatabase, startDatabase } from "@palimpsest/postgres/test-server";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hold, isReplay } from "./hold.ts";
import { live } from "./live.ts";
import { operations } from "./operations.ts";
import { POLICY_NAMES } from "./policies.ts";
import { anthropicWorld, responsesWorld } from "./worlds.ts";

/** A life takes a hundred statements: fewer lives than in memory. */
const RUNS = process.env["PALIMPSEST_SLOW"] === undefined ? 40 : 800;

let database: StartedDatabase;

beforeAll(async () => {
  database = await startDatabase();
});

afterAll(() => database.stop());

test.each([
  ["Anthropic", () => anthropicWorld("bound")],
  ["OpenAI Responses", responsesWorld],
] as const)(
  "the laws hold for sessions with %s that are kept in PostgreSQL",
  async (name, create) => {
    const postgres = openPostgres({ pool: database.workers, leaseMs: 0 });
    let requests = 0;
    await hold(
      `sessions with ${name} in PostgreSQL`,
      [operations, fc.constantFrom(...POLICY_NAMES)],
      async (list, policy) => {
        // Every life is another tenant: what leaks from one to another breaks a law.
        const store = postgres.store({ tenant: randomUUID() });
        const lived = await live(create(), list, policy, { store, files: store.results });
        requests += lived.requests;
        await store.close();
      },
      { numRuns: RUNS, counts: () => ({ requests }) },
    );
    if (isReplay()) return;
    expect(requests).toBeGreaterThan(RUNS / 2);
  },
  3_600_000,
);
