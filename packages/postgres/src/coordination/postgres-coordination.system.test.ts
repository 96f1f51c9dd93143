import { randomUUID } from "node:crypto";
import type { Coordination, Mailbox } from "@palimpsest/coordination";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type StartedDatabase, startDatabase } from "../test-server/start-database.ts";
import { testCoordinationOverPool } from "../testing/test-coordination-over-pool.ts";
import { openPostgresCoordination } from "./open-postgres-coordination.ts";

let database: StartedDatabase;

beforeAll(async () => {
  database = await startDatabase();
});

afterAll(() => database.stop());

testCoordinationOverPool(() => database.workers);

test("tenants have leases, budgets and teams of their own, and the database's clock decides if no other is given", async () => {
  const [mine, theirs] = [randomUUID(), randomUUID()].map((tenant) =>
    openPostgresCoordination({ pool: database.workers, tenant }),
  ) as [Coordination, Coordination];
  const databaseMs = async (): Promise<number> =>
    Number((await database.admin.query("SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now")).rows[0].now);
  const beganMs = await databaseMs();
  for (const { leases } of [mine, theirs]) expect((await leases.take("dream", { owner: "x" })).kind).toBe("taken");
  await mine.budgets.daily("extraction", 100).spend(60);
  expect(await theirs.budgets.daily("extraction", 100).leftTokens()).toBe(100);
  const registered = await Promise.all(
    [mine, theirs].map(({ mailboxes }) => mailboxes.register({ team: "team", name: "agent", session: "s" })),
  );
  expect(registered.map(({ kind }) => kind)).toEqual(["registered", "registered"]);
  const { holder } = await mine.leases.read("dream");
  expect(holder!.takenAtMs).toBeGreaterThanOrEqual(Math.floor(beganMs));
  expect(holder!.takenAtMs).toBeLessThanOrEqual(Math.ceil(await databaseMs()));
});

test("what is acknowledged leaves its id, of the newest thousand of a sender, and no text", async () => {
  const tenant = randomUUID();
  const coordination = openPostgresCoordination({ pool: database.workers, tenant });
  const [one, two] = (await Promise.all(
    ["one", "two"].map(async (name) => {
      const result = await coordination.mailboxes.register({ team: "team", name, session: `s-${name}` });
      return result.kind === "registered" ? result.mailbox : undefined;
    }),
  )) as [Mailbox, Mailbox];
  for (let sent = 0; sent < 1_200; sent++) await one.send({ id: `m${sent}`, to: "two", body: "secret" });
  for (;;) {
    const received = await two.receive({ limit: 1_000 });
    if (received.kind === "lost" || received.messages.length === 0) break;
    await two.acknowledge(received.messages.map(({ key }) => key));
  }
  for (let sent = 1_200; sent < 1_264; sent++) await one.send({ id: `m${sent}`, to: "two", body: "secret" });
  const { rows } = await database.admin.query(
    "SELECT count(*)::int AS rows, count(body)::int AS texts FROM palimpsest.message WHERE tenant = $1",
    [tenant],
  );
  expect(rows[0]).toEqual({ rows: 1_064, texts: 64 });
  await coordination.close();
});

test("whoever waits for mail goes on when the server comes back", async () => {
  const coordination = openPostgresCoordination({ pool: database.workers, tenant: randomUUID(), pollMs: 20 });
  const registered = await coordination.mailboxes.register({ team: "team", name: "agent", session: "s" });
  if (registered.kind !== "registered") throw new Error(registered.kind);
  const { mailbox } = registered;
  const waiting = mailbox.wait();
  await database.crash();
  for (;;) {
    // Connections that were lost are found out one by one.
    const sent = await mailbox.send({ id: "m", to: "agent", body: "hello" }).catch(() => undefined);
    if (sent?.kind === "sent") break;
  }
  expect(await waiting).toBe("mail");
  await coordination.close();
});
