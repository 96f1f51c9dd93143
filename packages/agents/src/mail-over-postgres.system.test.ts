import { openPostgres, openPostgresCoordination } from "@palimpsest/postgres";
import { type StartedDatabase, startDatabase } from "@palimpsest/postgres/test-server";
import { answer, callTool, callTools, type Script } from "@palimpsest/provider-simulator";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTeam, type Team } from "./testing/open-team.ts";

let database: StartedDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.stop());

/** Answers once; a second request after the tool's result ends the turn. */
const sends = (to: string, message: string): Script => {
  return ({ request }) =>
    JSON.stringify(request["messages"]).includes("Sent to")
      ? answer("Sent.")
      : callTools(callTool("SendMessage", { to, message }));
};

test("two agents on two machines exchange mail, with logs and mailboxes in one database", async () => {
  const opened = ["lead", "helper"].map(async (name) => {
    const pool = database.connect({ user: "service", database: "postgres" });
    const coordination = openPostgresCoordination({ pool, tenant: "customer", pollMs: 50 });
    const registered = await coordination.mailboxes.register({ team: "team", name, session: name });
    if (registered.kind !== "registered") throw new Error(registered.kind);
    const team = await openTeam({
      id: name,
      store: openPostgres({ pool }).store({ tenant: "customer" }),
      mailbox: registered.mailbox,
      script: name === "lead" ? sends("helper", "What is in a.ts?") : sends("lead", "It has the parser."),
    });
    return { team, coordination };
  });
  const [lead, helper] = (await Promise.all(opened)).map(({ team }) => team) as [Team, Team];

  const waiting = helper.agents.waitForMail(new AbortController().signal);
  expect(await lead.turn("Ask the helper.")).toMatchObject({ kind: "done" });
  expect(await waiting).toBe("mail");
  expect(await helper.turn()).toMatchObject({ kind: "done" });
  expect(await lead.agents.waitForMail(new AbortController().signal)).toBe("mail");
  await lead.agents.inbox.deliver(lead.session);

  const seen = [helper, lead].map(({ session }) => session.view.attached("agent-message"));
  expect(seen.map(([text]) => text?.replace(/ key="[^"]*"/, ""))).toEqual([
    '<agent-message from="lead">\nWhat is in a.ts?\n</agent-message>',
    '<agent-message from="helper">\nIt has the parser.\n</agent-message>',
  ]);
  for (const { coordination } of await Promise.all(opened)) await coordination.close();
});
