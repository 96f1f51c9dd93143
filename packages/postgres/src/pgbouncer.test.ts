import pg from "pg";
import { afterAll, beforeAll } from "vitest";
import { type StartedDatabase, startDatabase } from "./test-server/start-database.ts";
import { type StartedPgbouncer, startPgbouncer } from "./testing/start-pgbouncer.ts";
import { testCoordinationOverPool } from "./testing/test-coordination-over-pool.ts";
import { testOverPool } from "./testing/test-over-pool.ts";

let database: StartedDatabase;
let pooler: StartedPgbouncer;
let pool: pg.Pool;

beforeAll(async () => {
  database = await startDatabase();
  pooler = await startPgbouncer(database, ["service"]);
  // More connections than the pooler has to the server: they take turns, transaction by transaction.
  pool = new pg.Pool({ host: pooler.host, port: pooler.port, user: "service", database: "postgres", max: 12 });
});

afterAll(async () => {
  await pool.end();
  await pooler.stop();
  await database.stop();
});

testOverPool(() => pool);
testCoordinationOverPool(() => pool);
