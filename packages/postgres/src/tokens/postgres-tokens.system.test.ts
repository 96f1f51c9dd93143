import { afterAll, beforeAll } from "vitest";
import { type StartedDatabase, startDatabase } from "../test-server/start-database.ts";
import { testTokensOverPool } from "../testing/test-tokens-over-pool.ts";

let database: StartedDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.stop());

testTokensOverPool(() => database.workers);
