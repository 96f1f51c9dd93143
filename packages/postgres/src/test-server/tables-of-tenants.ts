import type pg from "pg";

/** The tables with a column `tenant`, by the catalogue: whoever adds one need not name it here. */
export async function tablesOfTenants(admin: pg.Pool): Promise<readonly string[]> {
  const { rows } = await admin.query(
    `SELECT columns.table_name AS name FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
     WHERE table_type = 'BASE TABLE' AND table_schema = 'palimpsest' AND column_name = 'tenant' ORDER BY 1`,
  );
  return rows.map(({ name }) => String(name));
}
