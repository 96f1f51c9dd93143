import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPostgresCoordination } from "../coordination/open-postgres-coordination.ts";
import { openPostgresDispatch } from "../dispatch/open-postgres-dispatch.ts";
import { type StartedDatabase, startDatabase } from "../test-server/start-database.ts";
import { testCoordinationOverPool } from "../testing/test-coordination-over-pool.ts";
import { testDispatchOver } from "../testing/test-dispatch-over.ts";
import { localKeyRing, type TenantKeyRing } from "./envelope-key-ring.ts";

const LOST = "[The key of this text is lost.]";
let database: StartedDatabase;
let keyRing: TenantKeyRing;

beforeAll(async () => {
  database = await startDatabase();
  keyRing = localKeyRing({ pool: database.workers, masterKey: randomBytes(32) });
});

afterAll(() => database.stop());

describe("encrypted mail:", () => {
  testCoordinationOverPool(
    () => database.workers,
    () => keyRing,
  );
});
describe("encrypted questions and events:", () => {
  testDispatchOver(() => ({ database, pool: database.dispatchers, keyRing }));
});

test("mail, inboxes, questions and events are nowhere in the clear, and are erased with their key", async () => {
  const tenant = randomUUID();
  const { mailboxes, close } = openPostgresCoordination({ pool: database.workers, tenant, keyRing });
  const registered = await mailboxes.register({ team: "team", name: "agent", session: "s" });
  if (registered.kind !== "registered") throw new Error(registered.kind);
  const { mailbox } = registered;
  await mailbox.send({ id: "m", to: "agent", summary: "secret summary", body: "secret body" });
  const dispatch = openPostgresDispatch({ pool: database.workers, keyRing });
  const { inbox, approvals, events } = dispatch.tenant(tenant);
  const said = await inbox.add("s", { key: "k", payload: "secret words" });
  expect(await inbox.read("s")).toMatchObject([{ payload: "secret words" }]);
  const question = { sessionId: "s", callId: "c", tool: "Bash", input: { command: "secret command" } };
  await approvals.ask({ ...question, reason: "secret reason" });
  await approvals.answer("s", "c", { decision: "deny", by: "me", reason: "secret answer" });
  await events.publish("s", ["secret event", "secret other"]);
  expect(await approvals.read("s", "c")).toMatchObject({
    kind: "answered",
    question: { input: question.input, reason: "secret reason" },
    answer: { reason: "secret answer" },
  });

  for (const table of ["message", "inbox", "approval", "event"]) {
    const sql = `SELECT t::text || coalesce(encode(bytes, 'escape'), '') AS text FROM palimpsest.${table} AS t
      CROSS JOIN LATERAL (SELECT ${table === "message" ? "summary || body" : "NULL::bytea"} AS bytes) AS b WHERE tenant = $1`;
    const { rows } = await database.admin.query(sql, [tenant]);
    expect(rows).toHaveLength(1);
    expect(rows[0].text, table).toContain("sealed");
    expect(rows[0].text, table).not.toContain("secret");
  }

  await keyRing.forgetTenantKey(tenant);
  expect(await mailbox.receive()).toMatchObject({ kind: "received", messages: [{ body: LOST, summary: LOST }] });
  expect(await inbox.read("s")).toMatchObject([{ number: said.number, payload: null }]);
  const state = await approvals.read("s", "c");
  expect(state).toMatchObject({ kind: "answered", question: { tool: "Bash", input: null } });
  expect(JSON.stringify(state)).not.toContain("secret");
  await events.publish("s", ["after"]);
  expect(await events.read("s")).toMatchObject({
    events: [{ event: null }, { event: null }, { event: "after", offset: 3 }],
  });
  await dispatch.close();
  await close();
});
