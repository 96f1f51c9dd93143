import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { migrate, planMigrations } from "./migrate.ts";
import { MIGRATIONS } from "./migrations/migrations.ts";
import { type EmptyServer, startEmptyServer } from "./testing/start-empty-server.ts";

let server: EmptyServer;

beforeAll(async () => {
  server = await startEmptyServer();
});

afterAll(() => server.stop());

test("a role without rights is told all statements that an administrator has to run, and they are enough", async () => {
  const admin = server.connect("postgres");
  await admin.query("CREATE ROLE deployer LOGIN");
  const deployer = server.connect("postgres", "deployer");
  const refused = await migrate(deployer).catch((error: Error) => error);
  expect(refused).toMatchObject({ code: "database-failed", reason: "no-permission" });
  const statements = /has to run: (.*) \(/.exec(String(refused))![1]!.split("; ");
  expect(statements).toEqual([
    "CREATE ROLE palimpsest_owner NOLOGIN",
    "CREATE ROLE palimpsest_queue NOLOGIN",
    "CREATE ROLE palimpsest_worker NOLOGIN",
    "CREATE ROLE palimpsest_operator NOLOGIN",
    "CREATE ROLE palimpsest_dispatcher NOLOGIN",
    "GRANT palimpsest_owner TO deployer",
    "GRANT palimpsest_queue TO deployer",
    "GRANT CREATE ON DATABASE postgres TO deployer",
  ]);
  expect((await planMigrations(deployer)).pending).toHaveLength(MIGRATIONS.length + 1);
  for (const statement of statements) await admin.query(statement);
  expect(await migrate(deployer)).toEqual({ before: 0, version: MIGRATIONS.length });
  expect(await planMigrations(deployer)).toMatchObject({ version: MIGRATIONS.length, pending: [] });
});

test("a role that may create roles and databases needs nobody where the roles are not there yet", async () => {
  const empty = await startEmptyServer();
  onTestFinished(() => empty.stop());
  const admin = empty.connect("postgres");
  await admin.query("CREATE ROLE builder LOGIN CREATEROLE CREATEDB");
  await empty.connect("postgres", "builder").query("CREATE DATABASE built");
  const builder = empty.connect("built", "builder");
  await admin.query("CREATE ROLE kitchen LOGIN");
  await migrate(builder, { workerRole: "kitchen", operatorRole: "kitchen", dispatcherRole: "kitchen" });
  const { rows } = await admin.query(
    "SELECT rolname AS name FROM pg_roles WHERE rolname LIKE 'palimpsest_%' AND pg_has_role('kitchen', oid, 'MEMBER') ORDER BY 1",
  );
  const roles = rows.map(({ name }) => name);
  expect(roles).toEqual(["palimpsest_dispatcher", "palimpsest_operator", "palimpsest_worker"]);
});

test("where another role has created the roles, it needs their grants from PostgreSQL 16 on, and is told so", async () => {
  const admin = server.connect("postgres");
  await migrate(admin);
  await admin.query("CREATE ROLE another_builder LOGIN CREATEROLE CREATEDB");
  await server.connect("postgres", "another_builder").query("CREATE DATABASE built");
  const builder = server.connect("built", "another_builder");
  const { rows } = await admin.query("SELECT current_setting('server_version_num')::int >= 160000 AS is_strict");
  const refused = await migrate(builder).catch((error: Error) => error);
  const statements = /has to run: (.*) \(/.exec(String(refused))?.[1]?.split("; ") ?? [];
  expect(statements).toEqual(
    rows[0].is_strict ? ["GRANT palimpsest_owner TO another_builder", "GRANT palimpsest_queue TO another_builder"] : [],
  );
  for (const statement of statements) await admin.query(statement);
  await migrate(builder);
  expect(await planMigrations(builder)).toMatchObject({ version: MIGRATIONS.length, pending: [] });
});

test("the SQL of a dry run is what an administrator can run by hand, in order", async () => {
  const pool = await server.createDatabase("by_hand");
  const { pending } = await planMigrations(pool);
  for (const { sql } of pending) await pool.query(sql);
  expect(await migrate(pool)).toEqual({ before: MIGRATIONS.length, version: MIGRATIONS.length });
});
