import pg from "pg";
import { afterAll, beforeAll } from "vitest";
import { type StartedDatabase, startDatabase } from "./test-server/start-database.ts";
import { type StartedPgbouncer, startPgbouncer } from "./testing/start-pgbouncer.ts";
import { testCoordinationOverPool } from "./testing/test-coordination-over-pool.ts";
import { testDispatchOver } from "./testing/test-dispatch-over.ts";
import { testMemoryOverPools } from "./testing/test-memory-over-pool.ts";
import { testOverPool } from "./testing/test-over-pool.ts";
import { testRatesOverPool } from "./testing/test-rates-over-pool.ts";
import { testTokensOverPool } from "./testing/test-tokens-over-pool.ts";

let database: StartedDatabase;
let pooler: StartedPgbouncer;
let pool: pg.Pool;
let dispatchers: pg.Pool;

beforeAll(async () => {
  database = await startDatabase();
  pooler = await startPgbouncer(database, ["service", "dispatcher"]);
  // More connections than the pooler has to the server: they take turns, transaction by transaction.
  const connect = (user: string): pg.Pool =>
    new pg.Pool({ host: pooler.host, port: pooler.port, user, database: "postgres", max: 12 });
  pool = connect("service");
  dispatchers = connect("dispatcher");
});

afterAll(async () => {
  await pool.end();
  await dispatchers.end();
  await pooler.stop();
  await database.stop();
});

testOverPool(() => ({ pool }));
testCoordinationOverPool(() => pool);
testMemoryOverPools(() => [pool]);
testRatesOverPool(() => pool);
testTokensOverPool(() => pool);
testDispatchOver(() => ({ database, pool: dispatchers }));
