import { openPostgres, openPostgresDispatch } from "@palimpsest/postgres";
import { type StartedDatabase, startDatabase } from "@palimpsest/postgres/test-server";
import { answer } from "@palimpsest/provider-simulator";
import { importLog } from "palimpsest";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cli, startCli } from "../testing/run-cli.ts";
import { temporaryProject } from "../testing/temporary-project.ts";

let database: StartedDatabase;
let cli: Cli;
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  database = await startDatabase();
  await database.admin.query("CREATE ROLE cron LOGIN IN ROLE palimpsest_worker, palimpsest_operator");
});

afterAll(() => database.stop());

async function openCli(): Promise<void> {
  cli = await startCli(temporaryProject(), () => answer(""));
  environment = { PGHOST: database.host, PGDATABASE: "postgres", PGUSER: "cron" };
}

async function begin(tenant: string, session: string): Promise<void> {
  const opened = await openPostgres({ pool: database.workers }).store({ tenant }).openWriter(session, { owner: "x" });
  if (opened.kind === "busy") throw new Error("busy");
  await importLog(opened.writer, []);
  await opened.writer.close();
}

test("lists, counts, exports, imports and deletes a tenant", async () => {
  await openCli();
  for (const session of ["one", "two"]) await begin("customer", session);
  await begin("other", "one");
  expect((await cli.run(["database", "tenants"], { environment })).out).toBe("customer\nother\n");
  const exported = await cli.run(["database", "tenants", "export", "--tenant", "customer"], { environment });
  expect(exported).toMatchObject({ code: 0, said: "" });
  expect(exported.out.trim().split("\n")).toHaveLength(4);

  const asked = await cli.run(["database", "tenants", "delete", "--tenant", "customer"], { environment });
  expect(asked).toMatchObject({ code: 0, out: expect.stringMatching(/session +2\n[\s\S]*--yes/) });
  const deleted = await cli.run(["database", "tenants", "delete", "--tenant", "customer", "--yes"], { environment });
  expect(deleted).toMatchObject({ code: 0, out: "Deleted customer: 2 rows.\n" });
  expect((await cli.run(["database", "tenants", "show", "--tenant", "customer"], { environment })).out).toContain(
    "customer has no data",
  );

  const into = ["database", "tenants", "import", "--tenant", "customer"];
  const imported = await cli.run(into, { environment, input: exported.out });
  expect(imported).toMatchObject({ code: 0, out: "Imported 2 sessions with 0 entries, and 0 results.\n" });
  const cut = exported.out.split("\n").slice(0, 2).join("\n");
  expect(
    await cli.run(["database", "tenants", "import", "--tenant", "cut"], { environment, input: cut }),
  ).toMatchObject({
    code: 1,
    said: expect.stringContaining("it was cut off"),
  });
  expect(await cli.run(["database", "tenants", "delete"], { environment })).toMatchObject({ code: 2 });
  const busy = await openPostgres({ pool: database.workers })
    .store({ tenant: "other" })
    .openWriter("one", { owner: "w" });
  expect(busy.kind).toBe("opened");
  const refused = await cli.run(["database", "tenants", "delete", "--tenant", "other", "--yes"], { environment });
  expect(refused).toMatchObject({ code: 1, out: expect.stringContaining("w writes session one") });
  const fenced = await cli.run(["database", "tenants", "delete", "--tenant", "other", "--yes", "--fence-writers"], {
    environment,
  });
  expect(fenced.code).toBe(0);
  const notOperator = await cli.run(["database", "tenants"], { environment: { ...environment, PGUSER: "service" } });
  expect(notOperator).toMatchObject({ code: 1, said: expect.stringContaining("GRANT palimpsest_operator") });
});

test("deletes old sessions, with an age per tenant", async () => {
  await openCli();
  for (const tenant of ["expire-a", "expire-b", "expire-c"]) await begin(tenant, "s");
  await database.admin.query(
    "UPDATE palimpsest.session SET active_at_ms = active_at_ms - 40 * 86400000.0 WHERE tenant LIKE 'expire-%'",
  );
  const { events } = openPostgresDispatch({ pool: database.workers }).tenant("expire-c");
  await events.publish("s", ["a word"]);
  await database.admin.query("UPDATE palimpsest.event SET at_ms = at_ms - 10 * 86400000.0 WHERE tenant = 'expire-c'");
  const args = ["database", "expire", "--older-than", "30", "--for", "expire-b=90", "--for", "expire-c=forever"];
  const report = await cli.run([...args, "--events-older-than", "20", "--json"], { environment });
  expect(JSON.parse(report.out)).toMatchObject({ deleted: 1, events: 0, deletedOf: { "expire-a": 1 } });
  expect((await cli.run(args, { environment })).out).toContain("Deleted 1 old batches of events.");
  expect((await cli.run(args, { environment })).out).toContain("Deleted 0 sessions");
  for (const wrong of [
    ["database", "expire"],
    ["database", "expire", "--older-than", "soon"],
    ["database", "expire", "--for", "x"],
  ])
    expect(await cli.run(wrong, { environment })).toMatchObject({ code: 2 });
});
