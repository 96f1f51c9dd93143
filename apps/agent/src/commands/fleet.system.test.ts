import { once } from "node:events";
import { openPostgres, openPostgresDispatch } from "@palimpsest/postgres";
import { type StartedDatabase, startDatabase } from "@palimpsest/postgres/test-server";
import { answer } from "@palimpsest/provider-simulator";
import { importLog } from "palimpsest";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cli, startCli } from "../testing/run-cli.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { fleetText } from "./fleet.ts";

const HOUR_MS = 3_600_000;
let database: StartedDatabase;

beforeAll(async () => {
  database = await startDatabase();
  await database.admin.query("CREATE ROLE watcher LOGIN IN ROLE palimpsest_worker, palimpsest_operator");
});

afterAll(() => database.stop());

const startIt = (): Promise<Cli> => startCli(temporaryProject(), () => answer(""));
const environment = (user = "watcher"): Record<string, string> => ({
  PGHOST: database.host,
  PGDATABASE: "postgres",
  PGUSER: user,
});

/** Creates sessions of two tenants: one running, one due, one later, one waiting for a person, and one set aside. */
async function fill(): Promise<void> {
  const { tenant, queue } = openPostgresDispatch({
    pool: database.dispatchers,
    maxAttempts: 1,
    silentAfterMs: HOUR_MS,
  });
  const [acme, other] = [tenant("acme"), tenant("other")];
  await acme.schedule.wake("poison");
  const [poison] = (await queue.take()).runs;
  await poison!.fail({ why: "out of\nmemory", retryAfterMs: 0 });
  expect((await queue.take()).setAside).toEqual([{ tenant: "acme", session: "poison" }]);
  await acme.inbox.add("busy", { key: "k", payload: "a word" });
  expect((await queue.take()).runs).toHaveLength(1);
  const opened = await openPostgres({ pool: database.workers })
    .store({ tenant: "acme" })
    .openWriter("busy", { owner: "host-1 (pid 7)" });
  if (opened.kind === "busy") throw new Error("busy");
  await importLog(opened.writer, []);
  await other.schedule.wake("later");
  const [later] = (await queue.take()).runs;
  await later!.release({ afterMs: HOUR_MS });
  await other.schedule.wake("due");
  await other.approvals.ask({ sessionId: "asks", callId: "c", tool: "pay", input: { secret: "A SECRET" } });
}

test("top shows running, waiting and set-aside sessions, and retry resumes one", async () => {
  const cli = await startIt();
  const empty = await cli.run(["database", "fleet", "top", "--once"], { environment: environment() });
  expect(empty).toMatchObject({ code: 0, said: "" });
  expect(empty.out).toMatch(/^Fleet at .* UTC\n\nrunning +0\n/);
  expect(empty.out).not.toContain("Workers");
  await fill();

  const { code, out, said } = await cli.run(["database", "fleet", "--once"], { environment: environment() });
  expect({ code, said }).toEqual({ code: 0, said: "" });
  expect(out).not.toContain("SECRET");
  for (const line of [
    /^running +1 {2}on 1 worker$/m,
    /^due, without a worker +1 {2}the oldest for \d+ s$/m,
    /^to run later +1 {2}the next in 60 min$/m,
    /^waiting for a person +1 {2}of 1 session, the oldest for \d+ s$/m,
    /^set aside +1$/m,
    /^messages in inboxes +1 {2}of 1 session, the oldest for \d+ s$/m,
    /^ +1 {2}host-1 \(pid 7\)$/m,
    /^\d+ s +1 {2}acme +busy +host-1 \(pid 7\)$/m,
    /^\d+ s +other +asks +pay$/m,
    /^\d+ s +1 {2}acme +poison +out of memory$/m,
    /^To let one run again: palimpsest database fleet retry SESSION --tenant NAME$/m,
  ])
    expect(out).toMatch(line);
  const told = JSON.parse(
    (await cli.run(["database", "fleet", "top", "--once", "--json"], { environment: environment() })).out,
  );
  expect(told).toMatchObject({
    queue: { running: 1, due: 1, later: 1, setAside: 1 },
    inbox: { items: 1, sessions: 1 },
    questions: { open: 1, sessions: 1 },
    workers: [{ runs: 1, owner: "host-1 (pid 7)" }],
    running: [{ tenant: "acme", session: "busy", attempt: 1 }],
    waiting: [{ tenant: "other", session: "asks", tool: "pay" }],
    setAside: [{ tenant: "acme", session: "poison", attempts: 1, failure: "out of\nmemory" }],
  });

  const retry = (...args: readonly string[]) =>
    cli.run(["database", "fleet", "retry", ...args], { environment: environment("service") });
  expect(await retry("poison", "--tenant", "acme")).toMatchObject({
    code: 0,
    out: "Session poison of acme runs again.\n",
  });
  const { schedule } = openPostgresDispatch({ pool: database.workers }).tenant("acme");
  expect((await schedule.listSetAside()).sessions).toEqual([]);
  expect(await retry("poison", "--tenant", "acme")).toMatchObject({
    code: 1,
    said: expect.stringContaining("Session poison of tenant acme is not set aside."),
  });
  expect((await retry("--all", "--tenant", "acme")).out).toBe("0 sessions of acme run again.\n");
  for (const wrong of [["poison"], ["--tenant", "acme"], ["poison", "--all", "--tenant", "acme"]])
    expect(await retry(...wrong)).toMatchObject({ code: 2 });
  expect(await cli.run(["database", "fleet", "top", "x"], { environment: environment() })).toMatchObject({ code: 2 });
});

test("top refreshes until it is interrupted, and shows all tenants only to an operator", async () => {
  const cli = await startIt();
  const { process: child, ended } = cli.start(["database", "fleet", "top", "--every", "0.1"], {
    environment: environment(),
  });
  let out = "";
  child.stdout.on("data", (chunk) => {
    out += String(chunk);
  });
  while (out.split("Fleet at ").length < 4) await once(child.stdout, "data");
  child.kill("SIGINT");
  expect((await ended).code).toBe(130);
  const refused = await cli.run(["database", "fleet", "top", "--once"], { environment: environment("service") });
  expect(refused).toMatchObject({ code: 1, said: expect.stringContaining("GRANT palimpsest_operator") });
});

test("fleetText fits the terminal", () => {
  const text = fleetText(
    {
      atMs: 0,
      queue: { running: 0, due: 0, later: 0, setAside: 1 },
      inbox: { items: 0, sessions: 0 },
      questions: { open: 0, sessions: 0 },
      workers: [],
      running: [{ tenant: "t", session: "s", attempt: 1 }],
      waiting: [],
      setAside: [{ tenant: "t", session: "s", attempts: 5, setAsideAtMs: 0, failure: "x".repeat(300) }],
    },
    60,
  );
  expect(text.split("\n").every((line) => line.length <= 60)).toBe(true);
  expect(text).toContain("not opened yet");
});
