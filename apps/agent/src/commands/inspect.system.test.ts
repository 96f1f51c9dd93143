import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openPostgres, openPostgresMemory } from "@palimpsest/postgres";
import { startDatabase } from "@palimpsest/postgres/test-server";
import { answer } from "@palimpsest/provider-simulator";
import { openSession } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { sqliteStore } from "palimpsest/sqlite";
import { expect, onTestFinished, test } from "vitest";
import { type Cli, startCli } from "../testing/run-cli.ts";
import { temporaryProject } from "../testing/temporary-project.ts";

test("inspect prints an address that shows a session's request as it was sent", async () => {
  const project = temporaryProject();
  const cli = await startCli(project, () => answer("Hi there."));
  expect((await cli.run(["-p", "Hello."])).code).toBe(0);
  const { code, said } = await cli.run(["inspect", "nothing-of-this-name"]);
  expect({ code, said }).toMatchObject({ said: expect.stringContaining("no session") });
  expect(code).not.toBe(0);
  const missing = await cli.run(["inspect", "./nothing"]);
  expect(missing).toMatchObject({
    code: 2,
    said: expect.stringContaining(`There is no folder or file ${join(project.folder, "nothing")}.`),
  });

  const { get, at, stop } = await openInspector(cli, ["inspect", "--live"]);
  await get(at);
  const { points } = await get(`${at}/timeline`);
  const { text } = await get(`${at}/requests/${points[0].entry}/body`);
  const sent = cli.server.recorder.exchanges.at(-1)!;
  expect(JSON.stringify(sent)).toContain(JSON.parse(text).messages.at(-1).content.at(-1).text);
  await stop();
});

test("inspect writes a session as a page in one file", async () => {
  const project = temporaryProject({ "recorded.jsonl": "" });
  const cli = await startCli(project, () => answer("Hi there."));
  await cli.run(["-p", "Hello."]);
  await cli.run(["-p", "A second session."]);
  const page = join(project.folder, "page.html");
  expect(await cli.run(["inspect", "--html", page])).toMatchObject({ code: 0, said: `Wrote ${page}\n` });
  const written = readFileSync(page, "utf8");
  expect(written).toMatch(/^<!doctype html>[\s\S]*"start":"#\/s\/\w+"[\s\S]*<\/html>\n$/);
  expect(written).toContain("A second session.");
  expect(written).not.toContain("Hello.");
  const transcripts = await cli.run(["inspect", "recorded.jsonl", "--html", page]);
  expect(transcripts).toMatchObject({
    code: 2,
    said: expect.stringMatching(/palimpsest analyze .*recorded.jsonl --html/),
  });
});

test("inspect shows the sessions in another program's folder", async () => {
  const project = temporaryProject();
  const store = sqliteStore({ folder: join(project.folder, "sessions") });
  const session = await openSession({ id: "mine", store, provider: anthropic({} as never), model: "claude-opus-5-5" });
  await session.append("Hello from my program.");
  await session.prepare();
  await session.close();
  const cli = await startCli(project, () => answer(""));
  const { get, stop } = await openInspector(cli, ["inspect", "sessions"]);
  const { sessions } = await get("/api/sessions");
  expect(sessions).toMatchObject([{ id: "mine", title: "Hello from my program." }]);
  const at = `/api/sessions/${sessions[0].key}`;
  await get(at);
  const { points } = await get(`${at}/timeline`);
  const { text } = await get(`${at}/requests/${points[0].entry}/body`);
  expect(text).toContain("Hello from my program.");
  await stop();
});

test("inspect shows a session of a tenant in PostgreSQL", async () => {
  const database = await startDatabase();
  onTestFinished(() => database.stop());
  const store = openPostgres({ pool: database.workers }).store({ tenant: "acme" });
  const session = await openSession({ id: "far", store, provider: anthropic({} as never), model: "claude-opus-5-5" });
  await session.append("Hello from afar.");
  await session.prepare();
  const cli = await startCli(temporaryProject(), () => answer(""));
  await database.admin.query("CREATE ROLE looker LOGIN IN ROLE palimpsest_worker");
  const environment = { PGHOST: database.host, PGDATABASE: "postgres", PGUSER: "looker" };
  expect(await cli.run(["inspect", "--database", "postgres://x"], { environment })).toMatchObject({
    said: expect.stringContaining("Missing --tenant"),
  });
  const { get, at, stop } = await openInspector(cli, ["inspect", "--tenant", "acme", "far"], environment);
  await get(at);
  const { points } = await get(`${at}/timeline`);
  expect((await get(`${at}/requests/${points[0].entry}/body`)).text).toContain("Hello from afar.");
  await stop();
  await session.close();
});

test("inspect shows a tenant's memory in PostgreSQL with its evidence, proposals and history, read only", async () => {
  const database = await startDatabase();
  onTestFinished(() => database.stop());
  const store = openPostgres({ pool: database.workers }).store({ tenant: "acme" });
  const session = await openSession({ id: "far", store, provider: anthropic({} as never), model: "claude-opus-5-5" });
  const [said] = await session.append("I use tabs.");
  const memory = openPostgresMemory({ pool: database.workers, tenant: "acme", name: "user-3" });
  const tabs = { slug: "tabs", name: "Tabs", description: "how to indent", type: "user", body: "Uses tabs." } as const;
  await memory.write({ ...tabs, evidence: [{ session: "far", entry: said!, quote: "I use tabs." }] }, "model", "none");
  await memory.propose({ ...tabs, slug: "width", name: "Width" }, "model", "seen once");
  const head = await memory.head();
  await database.admin.query("CREATE ROLE looker LOGIN IN ROLE palimpsest_worker");
  const environment = { PGHOST: database.host, PGDATABASE: "postgres", PGUSER: "looker" };
  const cli = await startCli(temporaryProject(), () => answer(""));
  expect(await cli.run(["inspect", "--memory", "user-3"], { environment })).toMatchObject({
    said: expect.stringContaining("Missing --tenant"),
  });
  const shown = await openInspector(cli, ["inspect", "--tenant", "acme", "--memory", "user-3", "far"], environment);
  const { topics, inbox, history } = await shown.get("/api/memory");
  expect({ topics, inbox }).toMatchObject({
    topics: [{ slug: "tabs", author: "model" }],
    inbox: [{ why: "seen once" }],
  });
  const { body, evidence } = await shown.get("/api/memory/topics/tabs");
  expect({ body: body.trim(), evidence }).toMatchObject({ body: "Uses tabs.", evidence: [{ quote: "I use tabs." }] });
  expect(`/api/sessions/${evidence[0].key}`).toBe(shown.at);
  const changed = await shown.get(`/api/memory/commits/${history.commits.at(-1).commit}`);
  expect(changed.text).toContain("+Uses tabs.");
  await shown.stop();
  expect(await memory.head()).toEqual(head);
  const without = await openInspector(cli, ["inspect", "--tenant", "acme", "far"], environment);
  expect((await without.get("/api/memory")).error.message).toContain("--memory NAME");
  await without.stop();
  await session.close();
});

/** Starts the command, and signs in like a browser. */
async function openInspector(cli: Cli, args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const started = cli.start(args, { input: "open", environment });
  const address = await new Promise<URL>((resolve, reject) => {
    let out = "";
    started.process.stdout.on("data", (bytes) => {
      out += String(bytes);
      const found = /http:\/\/127\.0\.0\.1:\d+\/#\S+/.exec(out)?.[0];
      if (found !== undefined) resolve(new URL(found));
    });
    started.process.once("exit", () => void started.ended.then(({ said }) => reject(new Error(said))));
  });
  const given = new URLSearchParams(address.hash.slice(1));
  const entered = await fetch(`${address.origin}/api/enter`, { method: "POST", body: given.get("token")! });
  const cookie = entered.headers.getSetCookie()[0]!.split(";")[0]!;
  return {
    at: `/api/sessions/${given.get("session")}`,
    get: async (path: string) => JSON.parse(await (await fetch(address.origin + path, { headers: { cookie } })).text()),
    async stop() {
      started.process.kill("SIGTERM");
      expect((await started.ended).code).toBe(0);
    },
  };
}
