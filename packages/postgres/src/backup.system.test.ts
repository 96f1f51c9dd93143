import { execFile, execFileSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { checkHealth } from "./check-health.ts";
import type { Pool } from "./database.ts";
import { openPostgres } from "./open-postgres.ts";
import { type StartedDatabase, startDatabase } from "./test-server/start-database.ts";
import { findPrograms, type StartedPostgres, startPostgres } from "./test-server/start-postgres.ts";
import { unprivilegedUser } from "./test-server/unprivileged-user.ts";
import {
  type Acknowledged,
  auditLogs,
  keepWriting,
  nothingAcknowledged,
  untilWritten,
} from "./testing/keep-writing.ts";
import { sealed } from "./testing/sealed.ts";

const SESSIONS = ["a", "b", "c"];
const NOTHING_WRONG = { lost: 0, changed: 0, broken: 0, doubleWriters: 0 };

let folder: string;
let database: StartedDatabase;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-backup-"));
  mkdirSync(join(folder, "archive"));
  const user = unprivilegedUser();
  if (user !== undefined) for (const path of [folder, join(folder, "archive")]) chownSync(path, user.uid, user.gid);
  const archive = `test ! -f ${folder}/archive/%f && cp %p ${folder}/archive/%f`;
  database = await startDatabase({ settings: { archive_mode: "on", archive_command: archive, wal_level: "replica" } });
});

afterAll(async () => {
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Connections to a restored server, which end before it does. */
function connectTo({ host, user, stop }: StartedPostgres): (role?: string) => pg.Pool {
  const pools: pg.Pool[] = [];
  onTestFinished(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    await stop();
  });
  return (role = user) => {
    const pool = new pg.Pool({ host, user: role, database: "postgres", max: 4 });
    pools.push(pool.on("error", () => undefined));
    return pool;
  };
}

/** Roles first: they belong to all databases, and a dump of one database does not have them. */
async function restoreDump(name: string): Promise<(role?: string) => pg.Pool> {
  const server = await startPostgres();
  const to = ["--host", server.host, "--username", "postgres", "--dbname", "postgres"];
  await run("psql", ["--quiet", ...to, "--file", join(folder, `${name}.roles`)]);
  await run("pg_restore", ["--exit-on-error", ...to, join(folder, `${name}.dump`)]);
  return connectTo(server);
}

/** Beside this process, so that writers go on. */
async function run(program: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)(join(findPrograms(), program), [...args], { ...unprivilegedUser(), cwd: folder });
}

async function dump(name: string): Promise<void> {
  const from = ["--host", database.host, "--username", "postgres"];
  await run("pg_dumpall", [...from, "--roles-only", "--file", join(folder, `${name}.roles`)]);
  await run("pg_dump", [...from, "--format=custom", "--file", join(folder, `${name}.dump`), "postgres"]);
}

test("a dump that was taken while writers write has every entry that was acknowledged before, and all chains hold", async () => {
  const store = openPostgres({ pool: database.workers }).store({ tenant: "dumped" });
  const told = nothingAcknowledged();
  const writing = keepWriting(store, { owner: "w", sessions: SESSIONS, told });
  await untilWritten(told, 60);
  const before: Acknowledged = { ...told, entries: new Map(told.entries) };
  await dump("while-writing");
  await untilWritten(told, 20);
  await writing.stop();
  expect(await auditLogs(store, SESSIONS, told)).toEqual(NOTHING_WRONG);

  const connect = await restoreDump("while-writing");
  // The role of the service has its rights again, and sees one tenant at a time.
  const service = connect("service");
  const restored = openPostgres({ pool: service }).store({ tenant: "dumped" });
  expect(await auditLogs(restored, SESSIONS, before)).toEqual(NOTHING_WRONG);
  expect((await service.query("SELECT FROM palimpsest.session")).rowCount).toBe(0);
  await expect(service.query("DELETE FROM palimpsest.entry")).rejects.toMatchObject({ code: "42501" });
  expect(await checkHealth(service, { timeoutMs: 60_000, maxClockSkewMs: 60_000 })).toMatchObject({ state: "ready" });
  // It can be written on.
  const again = keepWriting(restored, { owner: "after", sessions: SESSIONS, told: before });
  await untilWritten(before, 10);
  await again.stop();
  expect(await auditLogs(restored, SESSIONS, before)).toEqual(NOTHING_WRONG);
});

test("a restore to a point in time has all entries that were acknowledged until then, and none that was begun later", async () => {
  const { admin, workers, host } = database;
  const store = openPostgres({ pool: workers }).store({ tenant: "archived" });
  const told = nothingAcknowledged();
  const writing = keepWriting(store, { owner: "w", sessions: SESSIONS, told });
  await untilWritten(told, 30);
  const base = join(folder, "base");
  const backup = ["--host", host, "--username", "postgres", "--pgdata", base, "--checkpoint=fast", "--no-sync"];
  await run("pg_basebackup", backup);
  await untilWritten(told, 60);
  const until: Acknowledged = { ...told, entries: new Map(told.entries) };
  const { rows } = await admin.query("SELECT pg_current_wal_insert_lsn() AS lsn");
  const { appends } = told;
  await untilWritten(told, 60);
  await writing.stop();
  const later = new Set([...told.entries].filter(([, { append }]) => append > appends).map(([key]) => key));
  expect(later.size).toBeGreaterThan(20);
  const { rows: last } = await admin.query("SELECT pg_walfile_name(pg_switch_wal()) AS file");
  while (!existsSync(join(folder, "archive", last[0].file))) await wait(50);

  const server = await startPostgres({
    settings: {
      restore_command: `cp ${folder}/archive/%f %p`,
      recovery_target_lsn: rows[0].lsn,
      recovery_target_action: "promote",
      archive_mode: "off",
    },
    fill(data) {
      execFileSync("cp", ["-a", base, data]);
      writeFileSync(join(data, "recovery.signal"), "");
    },
  });
  const connect = connectTo(server);
  const pool = connect();
  for (;;) {
    const state = await pool.query("SELECT pg_is_in_recovery() AS recovering").catch(() => undefined);
    if (state?.rows[0].recovering === false) break;
    await wait(50);
  }
  const restored = openPostgres({ pool: connect("service") }).store({ tenant: "archived" });
  expect(await auditLogs(restored, SESSIONS, until)).toEqual(NOTHING_WRONG);
  const found = new Set<string>();
  for (const session of SESSIONS)
    for (const { sequence } of await (await restored.openReader(session))!.read(1, 1_000_000))
      found.add(`${session} ${sequence}`);
  expect([...later].filter((key) => found.has(key))).toEqual([]);
});

test("after a restore, processes of the time before are shut out once all fences are raised, and only then", async () => {
  const tenant = "fenced";
  const open = async (pool: Pool, owner: string) => {
    const opened = await openPostgres({ pool }).store({ tenant }).openWriter("s", { owner, takeover: "always" });
    if (opened.kind === "busy") throw new Error("busy");
    return opened.writer;
  };
  const first = await open(database.workers, "first");
  const begun = await first.append(sealed(["one", "two", "three"]));
  if (begun.kind !== "appended") throw new Error(begun.kind);
  await dump("fences");
  // A process opens the session after the backup, and lives on when the database is restored: its connections lead there now.
  let leadsTo: Pool = database.workers;
  const survivor = await open({ query: (text, values) => leadsTo.query(text, values) }, "survivor");
  const four = sealed(["four"], begun.head);
  const five = sealed(["five"], { sequence: 4, hash: four[0]!.hash });
  expect(await survivor.append(four)).toMatchObject({ kind: "appended" });

  const outcomes: string[] = [];
  for (const step of ["nothing", "fence"] as const) {
    const connect = await restoreDump("fences");
    const admin = connect();
    leadsTo = connect("service");
    // At first the number of the survivor is too high.
    expect(await survivor.append(five)).toMatchObject({ kind: "fenced" });
    if (step === "fence") expect(await openPostgres({ pool: admin }).tenants.fenceAfterRestore()).toBeGreaterThan(0);
    const next = await open(leadsTo, "next");
    expect(await next.append(sealed(["another four"], begun.head))).toMatchObject({ kind: "appended" });
    // Without the step, the new writer has got the number of the survivor, and its log is as long as the survivor thinks.
    outcomes.push((await survivor.append(five)).kind);
    const store = openPostgres({ pool: leadsTo }).store({ tenant });
    const { broken } = await auditLogs(store, ["s"], nothingAcknowledged());
    expect(broken).toBe(step === "nothing" ? 1 : 0);
    // Numbers of sessions are not given out again either.
    await openPostgres({ pool: leadsTo }).store({ tenant }).openWriter("new", { owner: "x" });
    const { rows } = await admin.query("SELECT max(number)::int AS newest FROM palimpsest.session");
    expect(rows[0].newest > 1_000_000).toBe(step === "fence");
  }
  expect(outcomes).toEqual(["appended", "fenced"]);
});
