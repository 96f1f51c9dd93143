import { openPostgres } from "@palimpsest/postgres";
import type { StartedDatabase } from "@palimpsest/postgres/test-server";
import { EMPTY_LOG, sealEntries, sha256 } from "palimpsest/core";

const [MINE, THEIRS] = ["crossing-mine", "crossing-theirs"] as const;
const TABLES = ["session", "session_metadata", "entry", "result", "result_chunk"];

/** As one tenant, tries to read, add, change and delete what another has: by tables, and by functions that are told its numbers. */
export async function tryCrossings(database: StartedDatabase): Promise<{ attempts: number; crossed: number }> {
  for (const tenant of [MINE, THEIRS]) await writeSession(database, tenant);
  const before = await fingerprint(database);
  const { rows } = await database.admin.query(
    "SELECT number, fence FROM palimpsest.session WHERE tenant = $1 AND name = 's'",
    [THEIRS],
  );
  const { number, fence } = rows[0] as { number: string; fence: string };
  let crossed = 0;
  const attempts = [...statements(), ...calls(number, fence)];
  for (const sql of attempts) if (await reaches(database, sql)) crossed++;
  return { attempts: attempts.length, crossed: crossed + (before === (await fingerprint(database)) ? 0 : 1) };
}

function statements(): readonly string[] {
  return TABLES.flatMap((table) => [
    `SELECT 1 FROM palimpsest.${table} WHERE tenant = '${THEIRS}'`,
    `SELECT 1 FROM palimpsest.${table} WHERE tenant <> '${MINE}'`,
    `INSERT INTO palimpsest.${table} SELECT (jsonb_populate_record(t, '{"tenant":"${THEIRS}"}')).* FROM palimpsest.${table} AS t RETURNING 1`,
    `UPDATE palimpsest.${table} SET tenant = '${THEIRS}' RETURNING 1`,
    `DELETE FROM palimpsest.${table} WHERE tenant = '${THEIRS}' RETURNING 1`,
    `TRUNCATE palimpsest.${table}`,
  ]);
}

function calls(number: string, fence: string): readonly string[] {
  return [
    `SELECT 1 FROM palimpsest.read_entries('${MINE}', ${number}, 1, 99)`,
    `SELECT 1 FROM palimpsest.newest_entry('${MINE}', ${number}, 'message', 99)`,
    `SELECT 1 FROM palimpsest.read_back('${MINE}', ${number}, 1, 99, 999)`,
    `SELECT 1 FROM palimpsest.read_batch('${MINE}', ${number}, '{1}', '{9}', '{message}', 'message', 9) WHERE sequence IS NOT NULL`,
    `SELECT 1 FROM palimpsest.entries_of_batch('${MINE}', ${number}, 9, '{1}', '{9}', '{message}', 'message', 9)`,
    `SELECT palimpsest.erase_entry('${MINE}', ${number}, ${fence}, 1) AS outcome`,
    `SELECT outcome FROM palimpsest.append_one('${MINE}', ${number}, ${fence}, NULL, 4, 3, 'x', 1, 1, '', '', '{}')`,
    `SELECT palimpsest.close_writer('${MINE}', ${number}, ${fence}) WHERE false`,
    `SELECT 1 FROM palimpsest.find_result('${MINE}', 'theirs-only', '${"0".repeat(64)}.txt')`,
    `SELECT 1 FROM palimpsest.read_metadata('${MINE}', 'theirs-only') AS read WHERE read IS NOT NULL`,
    `SELECT 1 FROM palimpsest.list_sessions('${MINE}', '', 99) WHERE name = 'theirs-only'`,
    `SELECT 1 FROM palimpsest.expire_sessions('${MINE}', 'Infinity', 's', 99, NULL, 0)`,
  ];
}

/** Whether a statement of a worker that stands for one tenant returns anything; what it changed, the fingerprint tells. */
async function reaches(database: StartedDatabase, sql: string): Promise<boolean> {
  const client = await database.workers.connect();
  try {
    await client.query("BEGIN");
    await client.query("SELECT set_config('palimpsest.tenant', $1, true)", [MINE]);
    const { rows } = await client.query(sql);
    await client.query("COMMIT");
    return rows.some((row) => !["fenced", "gone", "absent"].includes(row.outcome));
  } catch {
    await client.query("ROLLBACK");
    return false;
  } finally {
    client.release();
  }
}

/** All that the other tenant has, whatever the statements answered. */
async function fingerprint({ admin }: StartedDatabase): Promise<string> {
  const sums = TABLES.map(
    (table) =>
      `(SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM palimpsest.${table} AS t WHERE tenant = '${THEIRS}')`,
  );
  const { rows } = await admin.query(`SELECT concat_ws(',', ${sums.join(", ")}) AS sum`);
  return String(rows[0].sum);
}

async function writeSession({ workers }: StartedDatabase, tenant: string): Promise<void> {
  const store = openPostgres({ pool: workers }).store({ tenant });
  for (const session of tenant === THEIRS ? ["s", "theirs-only"] : ["s"]) {
    const opened = await store.openWriter(session, { owner: "bench" });
    if (opened.kind === "busy") throw new Error("busy");
    const drafts = [1, 2, 3].map((number) => ({ kind: "message", version: 1, payload: JSON.stringify({ number }) }));
    await opened.writer.append(sealEntries(drafts, { head: EMPTY_LOG, atMs: 1, digest: sha256 }));
    await opened.writer.close();
    await store.setMetadata(session, { title: tenant });
    const draft = await store.results.create(session);
    await draft.write(new TextEncoder().encode(tenant));
    await draft.keep("txt");
  }
}
