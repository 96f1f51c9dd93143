import type pg from "pg";

/** How many rows of a tenant each of these tables has. */
export async function countRows(
  admin: pg.Pool,
  tables: readonly string[],
  tenant: string,
): Promise<Readonly<Record<string, number>>> {
  const counted = tables.map(async (table) => {
    const { rows } = await admin.query(`SELECT count(*)::int AS rows FROM palimpsest.${table} WHERE tenant = $1`, [
      tenant,
    ]);
    return [table, Number(rows[0].rows)] as const;
  });
  return Object.fromEntries(await Promise.all(counted));
}

/** Adds a row of a tenant to a table of which nothing is known: values that its types and constraints take. */
export async function fillTable(admin: pg.Pool, table: string, tenant: string): Promise<void> {
  const { rows } = await admin.query(
    `SELECT attname AS name, format_type(atttypid, NULL) AS type,
      (SELECT (regexp_match(pg_get_constraintdef(oid), '''([^'']+)'''))[1] FROM pg_constraint
        WHERE conrelid = attrelid AND contype = 'c' AND conkey = ARRAY[attnum] LIMIT 1) AS word
     FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attnotnull AND attgenerated = '' AND attidentity = ''`,
    [`palimpsest.${table}`],
  );
  const columns = rows as readonly { readonly name: string; readonly type: string; readonly word: string | null }[];
  const values = columns.map(({ name, type, word }) => (name === "tenant" ? tenant : (word ?? VALUES[type])));
  const missing = columns.filter((_, index) => values[index] === undefined).map(({ name, type }) => `${name} ${type}`);
  if (missing.length > 0)
    throw new Error(`No value for ${missing.join(", ")} of palimpsest.${table}: add its type to VALUES.`);
  const names = columns.map(({ name }) => `"${name}"`).join(", ");
  const client = await admin.connect();
  try {
    // Neither triggers nor references: the row has to be there, not to make sense.
    await client.query("SET session_replication_role = replica");
    await client.query(
      `INSERT INTO palimpsest.${table} (${names}) VALUES (${values.map((_, index) => `$${index + 1}`).join(", ")}) ON CONFLICT DO NOTHING`,
      values,
    );
  } finally {
    client.release(true);
  }
}

const VALUES: Readonly<Record<string, unknown>> = {
  text: "x",
  "character varying": "x",
  uuid: "00000000-0000-4000-8000-000000000000",
  integer: 1,
  smallint: 1,
  bigint: 1,
  numeric: 1,
  real: 1,
  "double precision": 1,
  boolean: true,
  bytea: Buffer.from("x"),
  json: "{}",
  jsonb: "{}",
  date: "2026-01-01",
  "timestamp with time zone": "2026-01-01T00:00:00Z",
  "text[]": ["x"],
};
