import { EMPTY_LOG, sealEntries, sha256 } from "palimpsest/store-parts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPostgresCoordination } from "../coordination/open-postgres-coordination.ts";
import { openPostgresDispatch } from "../dispatch/open-postgres-dispatch.ts";
import { localKeyRing } from "../key-ring/envelope-key-ring.ts";
import { openPostgresMemory } from "../memory/open-postgres-memory.ts";
import { openPostgres } from "../open-postgres.ts";
import { type StartedDatabase, startDatabase, tablesOfTenants } from "../test-server/start-database.ts";
import { postgresTokens } from "../tokens/postgres-tokens.ts";

const [MINE, THEIRS] = ["crossing-mine", "crossing-theirs"] as const;

interface Attempt {
  readonly sql: string;
  /** The same statement by a role or tenant that may: if it reaches nothing, the attempt proves nothing. */
  readonly control: { readonly sql: string; readonly as: "admin" | "workers" };
}

let database: StartedDatabase;

beforeAll(async () => {
  database = await startDatabase();
});

afterAll(() => database.stop());

test("a tenant reads, adds, changes and deletes nothing of another tenant, by tables or by functions", async () => {
  for (const tenant of [MINE, THEIRS]) await writeSession(database, tenant);
  const { rows } = await database.admin.query(
    `SELECT session.number, fence, file, generation, holder, token, id AS commit, inbox.number AS item FROM palimpsest.session
     JOIN palimpsest.result ON result.tenant = session.tenant AND result.session = session.name
     JOIN palimpsest.lease ON lease.tenant = session.tenant AND lease.name = session.name
     JOIN palimpsest.address ON address.tenant = session.tenant AND team = session.name
     JOIN palimpsest.inbox ON inbox.tenant = session.tenant AND inbox.session = session.name
     JOIN palimpsest.memory_commit ON memory_commit.tenant = session.tenant AND memory = session.name
     WHERE session.tenant = $1 AND session.name = 'theirs-only'`,
    [THEIRS],
  );
  const tables = await tablesOfTenants(database.admin);
  const before = await fingerprint(database, tables);
  const attempts = [...statements(tables), ...calls(rows[0]), ...TAKING, WATCHING];
  const proveNothing: string[] = [];
  const crossed: string[] = [];
  for (const { sql, control } of attempts) {
    if (!(await reaches(database[control.as], control.sql, "ROLLBACK"))) proveNothing.push(control.sql);
    if (await reaches(database.workers, sql, "COMMIT")) crossed.push(sql);
  }
  expect({ proveNothing, crossed }).toEqual({ proveNothing: [], crossed: [] });
  expect(await fingerprint(database, tables)).toBe(before);
  expect(attempts.length).toBeGreaterThan(90);
});

/** Only a role that runs the sessions of all tenants may take them. */
const TAKING: readonly Attempt[] = [
  `SELECT 1 FROM palimpsest.take_wakeups(9, '', 'run', 5, 1000, NULL) WHERE tenant = '${THEIRS}'`,
  `SELECT 1 FROM palimpsest.take_over_wakeup('${THEIRS}', 's', 0, 5, 1000, NULL)`,
].map((sql) => ({ sql, control: { sql, as: "admin" } }));
/** Only an operator may see the work of all workers. */
const OVERVIEW = `SELECT 1 WHERE palimpsest.fleet_overview(99, NULL)::text LIKE '%${THEIRS}%'`;
const WATCHING: Attempt = { sql: OVERVIEW, control: { sql: OVERVIEW, as: "admin" } };

/** By tables: a role without row-level security reaches the rows. */
function statements(tables: readonly string[]): readonly Attempt[] {
  return tables
    .flatMap((table) => [
      `SELECT 1 FROM palimpsest.${table} WHERE tenant = '${THEIRS}'`,
      `INSERT INTO palimpsest.${table} SELECT (jsonb_populate_record(t, '{"tenant":"${THEIRS}-2"}')).* FROM palimpsest.${table} AS t WHERE tenant = '${MINE}' RETURNING 1`,
      // Entries go only with their session: not even the owner of the tables deletes them alone.
      ...(table === "entry" ? [] : [`DELETE FROM palimpsest.${table} WHERE tenant = '${THEIRS}' RETURNING 1`]),
      ...(table === "entry"
        ? [`UPDATE palimpsest.entry SET payload = NULL WHERE tenant = '${THEIRS}' RETURNING 1`]
        : []),
      ...(table === "lease"
        ? [`UPDATE palimpsest.lease SET state = 'free' WHERE tenant = '${THEIRS}' RETURNING 1`]
        : []),
      ...(table === "session"
        ? [`UPDATE palimpsest.session SET fence = fence + 1 WHERE tenant = '${THEIRS}' RETURNING 1`]
        : []),
    ])
    .map((sql) => ({ sql, control: { sql, as: "admin" } }));
}

/** By functions: a call that names the right tenant reaches the rows. */
function calls(secrets: Readonly<Record<string, string>>): readonly Attempt[] {
  const { number, fence, file, generation, holder, token, commit, item } = secrets;
  const call = (tenant: string): readonly string[] => [
    `SELECT 1 FROM palimpsest.read_entries('${tenant}', ${number}, 1, 99)`,
    `SELECT 1 FROM palimpsest.newest_entry('${tenant}', ${number}, 'message', 99)`,
    `SELECT 1 FROM palimpsest.read_back('${tenant}', ${number}, 1, 99, 999)`,
    `SELECT 1 FROM palimpsest.read_batch('${tenant}', ${number}, NULL, '{1}', '{9}', '{message}', 'message', 9) WHERE sequence IS NOT NULL`,
    `SELECT 1 FROM palimpsest.find_and_read('${tenant}', 'theirs-only', NULL, '{1}', '{9}', '{message}', 'message', 9)`,
    `SELECT 1 WHERE palimpsest.erase_entry('${tenant}', ${number}, ${fence}, 1) = 'erased'`,
    // An append that succeeds returns no row.
    `SELECT 1 WHERE NOT EXISTS (SELECT FROM palimpsest.append_one('${tenant}', ${number}, ${fence}, NULL, 4, 3, 'x', 1, 1, '', '', '{}'))`,
    `SELECT 1 FROM palimpsest.find_result('${tenant}', 'theirs-only', '${file}')`,
    `SELECT 1 FROM palimpsest.find_content('${tenant}', 'theirs-only', '${file}')`,
    `SELECT 1 WHERE palimpsest.read_metadata('${tenant}', 'theirs-only') IS NOT NULL`,
    `SELECT 1 WHERE palimpsest.set_metadata('${tenant}', 'theirs-only', '{}') = 'set'`,
    `SELECT 1 FROM palimpsest.list_sessions('${tenant}', '', 99) WHERE name = 'theirs-only'`,
    `SELECT 1 FROM palimpsest.read_lease('${tenant}', 'theirs-only')`,
    `SELECT 1 WHERE palimpsest.hold_lease('${tenant}', 'theirs-only', ${generation}, '${holder}')`,
    `SELECT 1 WHERE palimpsest.finish_lease('${tenant}', 'theirs-only', ${generation}, '${holder}', 'done')`,
    `SELECT 1 WHERE palimpsest.spent_tokens('${tenant}', 'theirs-only', NULL) > 0`,
    `SELECT 1 FROM palimpsest.list_addresses('${tenant}', 'theirs-only', NULL, 0)`,
    `SELECT 1 FROM palimpsest.receive_messages('${tenant}', 'theirs-only', 'agent', '${token}', 9, NULL, 0)`,
    `SELECT 1 WHERE palimpsest.acknowledge_messages('${tenant}', 'theirs-only', 'agent', '${token}', '{}', '{}', NULL, 0)`,
    `SELECT 1 FROM palimpsest.send_message('${tenant}', 'theirs-only', 'agent', '${token}', 'agent', 'x', '', '', NULL, NULL, '', 9, NULL, 0) WHERE outcome = 'sent'`,
    `SELECT 1 FROM palimpsest.read_approval('${tenant}', 'theirs-only', 'call', NULL)`,
    `SELECT 1 FROM palimpsest.pending_approvals('${tenant}', 'theirs-only', 0, 9, NULL)`,
    `SELECT 1 FROM palimpsest.answer_approval('${tenant}', 'theirs-only', 'call', 'allow', 'x', NULL, '', NULL)`,
    `SELECT 1 WHERE palimpsest.withdraw_approval('${tenant}', 'theirs-only', 'call', '') = 'withdrawn'`,
    `SELECT 1 WHERE palimpsest.cancel_reminder('${tenant}', 'theirs-only', 'approval call')`,
    `SELECT 1 WHERE palimpsest.forget_session('${tenant}', 'theirs-only') > 0`,
    `SELECT 1 FROM palimpsest.read_inbox('${tenant}', 'theirs-only', 9)`,
    `SELECT 1 WHERE palimpsest.acknowledge_inbox('${tenant}', 'theirs-only', '{${item}}') = 1`,
    `SELECT 1 FROM palimpsest.add_to_inbox('${tenant}', 'theirs-only', 'k', '1', '{x}', NULL, NULL) WHERE outcome = 'different'`,
    `SELECT 1 FROM palimpsest.read_events('${tenant}', 'theirs-only', 0, 9)`,
    `SELECT 1 FROM palimpsest.newest_events('${tenant}', '{theirs-only}')`,
    `SELECT 1 FROM palimpsest.prune_events('${tenant}', 1e15, 'sz', 9) WHERE pruned > 0`,
    `SELECT 1 FROM palimpsest.find_api_token('${tenant}', 'theirs-only')`,
    `SELECT 1 FROM palimpsest.list_api_tokens('${tenant}') WHERE id = 'theirs-only'`,
    `SELECT 1 WHERE palimpsest.revoke_api_token('${tenant}', 'theirs-only')`,
    `SELECT 1 FROM palimpsest.read_memory('${tenant}', 'theirs-only', 0, '')`,
    `SELECT 1 FROM palimpsest.list_commits('${tenant}', 'theirs-only', 9)`,
    `SELECT 1 FROM palimpsest.read_commit('${tenant}', 'theirs-only', NULL)`,
    `SELECT 1 FROM palimpsest.read_uses('${tenant}', 'theirs-only')`,
    `SELECT 1 WHERE palimpsest.commit_memory('${tenant}', 'theirs-only', 1, '${commit}', 'x', 'user', 0, '', '{a.md}', '{a.md}', '{user}', '{x}')`,
    `SELECT 1 WHERE palimpsest.delete_memory('${tenant}', 'theirs-only')`,
    `SELECT 1 FROM palimpsest.delete_session('${tenant}', 'theirs-only', NULL, 0) WHERE outcome = 'deleted'`,
  ];
  const controls = call(THEIRS);
  return call(MINE).map((sql, index) => ({ sql, control: { sql: controls[index]!, as: "workers" } }));
}

/** Whether a statement of one tenant returns a row. The fingerprint shows what it changed. */
async function reaches(pool: StartedDatabase["workers"], sql: string, end: "COMMIT" | "ROLLBACK"): Promise<boolean> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query("SELECT set_config('palimpsest.tenant', $1, true)", [MINE]);
    const { rowCount } = await client.query(sql);
    await client.query(end);
    return (rowCount ?? 0) > 0;
  } catch {
    // Refused by grants or by row-level security.
    await client.query("ROLLBACK");
    return false;
  } finally {
    client.release();
  }
}

/** A digest of every row of the other tenant. */
async function fingerprint({ admin }: StartedDatabase, tables: readonly string[]): Promise<string> {
  const sums = tables.map(
    (table) =>
      `(SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM palimpsest.${table} AS t WHERE tenant = '${THEIRS}')`,
  );
  const { rows } = await admin.query(`SELECT concat_ws(',', ${sums.join(", ")}) AS sum`);
  return String(rows[0].sum);
}

async function writeSession({ workers }: StartedDatabase, tenant: string): Promise<void> {
  const store = openPostgres({ pool: workers }).store({ tenant });
  const { leases, budgets, mailboxes } = openPostgresCoordination({ pool: workers, tenant });
  const { schedule, inbox, approvals, events } = openPostgresDispatch({ pool: workers }).tenant(tenant);
  for (const session of tenant === THEIRS ? ["s", "theirs-only"] : ["s"]) {
    const opened = await store.openWriter(session, { owner: "test" });
    if (opened.kind === "busy") throw new Error("busy");
    const drafts = [1, 2, 3].map((number) => ({ kind: "message", version: 1, payload: JSON.stringify({ number }) }));
    await opened.writer.append(sealEntries(drafts, { head: EMPTY_LOG, atMs: 1, digest: sha256 }));
    await opened.writer.close();
    await store.setMetadata(session, { title: tenant });
    const draft = await store.results.create(session);
    await draft.write(new TextEncoder().encode(tenant));
    await draft.keep("txt");
    await localKeyRing({ pool: workers, masterKey: new Uint8Array(32) }).current(tenant);
    await workers.query("SELECT palimpsest.begin_object($1, $2, gen_random_uuid(), NULL)", [tenant, session]);
    await leases.take(session, { owner: "test" });
    await budgets.daily(session, 100).spend(1);
    const registered = await mailboxes.register({ team: session, name: "agent", session });
    if (registered.kind !== "registered") throw new Error(registered.kind);
    await registered.mailbox.send({ id: "m", to: "agent", body: tenant });
    await schedule.wake(session);
    await inbox.add(session, { key: "k", payload: tenant });
    await approvals.ask({
      sessionId: session,
      callId: "call",
      tool: "pay",
      input: tenant,
      expiresAtMs: Date.now() + 600_000,
    });
    await events.publish(session, [tenant]);
    const token = { tenant, id: session, name: tenant, scopes: [], digest: "", createdAtMs: 0 };
    await postgresTokens({ pool: workers }).add(token);
    const memory = openPostgresMemory({ pool: workers, tenant, name: session });
    const topic = { slug: "a", name: "A", description: tenant, type: "user", body: `A fact of ${tenant}.` } as const;
    await memory.write(topic, "user", "none");
    await memory.noteUse(["a"]);
  }
}
