import { planMigrations } from "@palimpsest/postgres";
import { type StartedDatabase, startDatabase } from "@palimpsest/postgres/test-server";
import { answer } from "@palimpsest/provider-simulator";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cli, startCli } from "../testing/run-cli.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { inDatabase } from "./open-database.ts";
import type { Terminal } from "./terminal.ts";

let database: StartedDatabase;

beforeAll(async () => {
  database = await startDatabase();
});

afterAll(() => database.stop());

const openCli = (): Promise<Cli> => startCli(temporaryProject(), () => answer(""));

test("migrate plans, names missing grants, creates the schema, and grants the service access", async () => {
  const { admin, host } = database;
  await admin.query("CREATE ROLE deployer LOGIN");
  await admin.query("CREATE DATABASE shop");
  const cli = await openCli();
  const url = `postgres://deployer@/shop?host=${host}`;

  const listed = await cli.run(["database", "migrate", "--dry-run", "--database", url]);
  expect(listed).toMatchObject({ code: 0, said: "" });
  expect(listed.out).toMatch(/at version 0[\s\S]*0 roles and schema[\s\S]*1 sessions/);
  const sql = await cli.run(["database", "migrate", "--dry-run", "--sql"], { environment: { DATABASE_URL: url } });
  expect(sql.out).toMatch(/BEGIN;[\s\S]*CREATE TABLE session[\s\S]*COMMIT;/);

  const refused = await cli.run(["database", "migrate", "--database", url]);
  expect(refused.code).toBe(1);
  const grants = /An administrator has to run: (.*) \(/.exec(refused.said)![1]!.split("; ");
  expect(grants).toContain("GRANT palimpsest_owner TO deployer");
  expect(grants).toContain("GRANT CREATE ON DATABASE shop TO deployer");
  const asAdministrator = database.connect({ user: "postgres", database: "shop" });
  for (const grant of grants) await asAdministrator.query(grant);

  const environment = { PGHOST: host, PGDATABASE: "shop", PGUSER: "deployer" };
  const migrated = await cli.run(["database", "migrate", "--json"], { environment });
  expect(migrated).toMatchObject({ code: 0, said: "" });
  const { before, version } = JSON.parse(migrated.out);
  expect({ before, isNewer: version > 4 }).toEqual({ before: 0, isNewer: true });
  const again = await cli.run(["database", "migrate"], { environment });
  expect(again).toMatchObject({ code: 0, out: `The schema is up to date, at version ${version}.\n` });

  // The deployer owns no role to grant, but the administrator does.
  await admin.query("CREATE ROLE shopkeeper LOGIN");
  const notAllowed = await cli.run(["database", "migrate", "--worker-role", "shopkeeper"], { environment });
  expect(notAllowed).toMatchObject({ code: 1, said: expect.stringContaining("GRANT palimpsest_worker TO shopkeeper") });
  const unknown = await cli.run(["database", "migrate", "--worker-role", "nobody_there"], { environment });
  expect(unknown.said).toContain("Create it first: CREATE ROLE nobody_there LOGIN");
  const asPostgres = { environment: { ...environment, PGUSER: "postgres" } };
  const granted = await cli.run(
    [
      "database",
      "migrate",
      "--worker-role",
      "shopkeeper",
      "--operator-role",
      "shopkeeper",
      "--dispatcher-role",
      "shopkeeper",
    ],
    asPostgres,
  );
  expect(granted).toMatchObject({ code: 0, out: expect.stringContaining("The role shopkeeper may serve sessions.") });
  const service = database.connect({ user: "shopkeeper", database: "shop" });
  const { rows } = await service.query("SELECT count(*)::int AS sessions FROM palimpsest.list_sessions('t', '', 9)");
  expect(rows).toEqual([{ sessions: 0 }]);
  const taken = await service.query(
    "SELECT count(*)::int AS runs FROM palimpsest.take_wakeups(9, '', 'run', 5, 1000, NULL)",
  );
  expect(taken.rows).toEqual([{ runs: 0 }]);
});

test("migrate fences all sessions after a restore, and doctor checks the database", async () => {
  const cli = await openCli();
  const environment = { PGHOST: database.host, PGDATABASE: "postgres", PGUSER: "postgres" };
  const restored = await cli.run(["database", "migrate", "--restored"], { environment });
  expect(restored).toMatchObject({ code: 0, out: expect.stringContaining("Fenced 0 sessions") });
  const url = (name: string) => `postgres://postgres@/${name}?host=${database.host}`;
  const well = await cli.run(["doctor", "--database", url("postgres")]);
  expect(well).toMatchObject({ code: 0, out: expect.stringMatching(/ok +database: answers in/) });
  const bare = await cli.run(["doctor", "--database", url("template1")]);
  expect(bare).toMatchObject({
    code: 1,
    out: expect.stringMatching(/problem +database: .*palimpsest database migrate/),
  });
  const json = await cli.run(["doctor", "--database", url("nowhere"), "--json"]);
  expect(JSON.parse(json.out)).toMatchObject({ state: "down" });
});

test("migrate names a missing address, client or server", async () => {
  const cli = await openCli();
  const none = { environment: { PGHOST: "", PGDATABASE: "", PGUSER: "", PGPORT: "" } };
  expect(await cli.run(["database", "migrate"], none)).toMatchObject({
    code: 2,
    said: expect.stringContaining("--database"),
  });
  expect(await cli.run(["database", "migrate", "--sql"], none)).toMatchObject({ code: 2 });
  const away = ["database", "migrate", "--database", "postgres://someone:secret@127.0.0.1:9/nothing"];
  const unreachable = await cli.run(away);
  expect(unreachable).toMatchObject({ code: 1, said: expect.stringContaining("cannot be reached") });
  expect(unreachable.said).not.toContain("secret");
  const options = { database: "postgres://x@y/z", application: "test", client: "pg-is-not-installed" };
  const terminal = { environment: {} } as unknown as Terminal;
  await expect(inDatabase(terminal, options, async () => 0)).rejects.toThrow(/npm install --global pg/);
});

test("migrate stops waiting for a lock, and names the process that holds it", async () => {
  const { admin, host } = database;
  await admin.query("CREATE DATABASE busy");
  const cli = await openCli();
  const environment = { PGHOST: host, PGDATABASE: "busy", PGUSER: "postgres" };
  const pool = database.connect({ user: "postgres", database: "busy", application_name: "a long report" });
  const client = await pool.connect();
  // Migration 4 changes a table of migration 1 that another connection reads.
  const { pending } = await planMigrations(pool);
  for (const { number, sql } of pending) if (number < 4) await client.query(sql);
  await client.query("BEGIN");
  await client.query("SELECT FROM palimpsest.session");
  const { rows } = await client.query("SELECT pg_backend_pid() AS pid");
  // The lock is held until this call returns.
  const refused = await cli.run(["database", "migrate", "--lock-timeout", "300"], { environment });
  expect(refused.code).toBe(1);
  expect(refused.said).toContain("migration 4 (tenants): nothing was changed: a lock was not free for 300 ms");
  expect(refused.said).toContain(`Process ${rows[0].pid} (role postgres, application a long report, in a transaction`);
  expect(refused.said).toContain(`pg_terminate_backend(${rows[0].pid})`);
  await client.query("ROLLBACK");
  client.release();
});
