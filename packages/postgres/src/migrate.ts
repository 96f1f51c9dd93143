import type { Pool } from "./database.ts";
import { toDatabaseError } from "./database-error.ts";
import { MIGRATIONS } from "./migrations/migrations.ts";

export interface MigrateOptions {
  /**
   * How long a migration waits for a lock. What it waits for makes others wait: rather give up, and try again.
   * @default 2,000
   */
  readonly lockTimeoutMs?: number;
}

export interface Migrated {
  /** The number of the newest migration that was found; 0 in an empty database. */
  readonly before: number;
  /** The number of the newest migration now: higher than this release knows, if a newer one was here. */
  readonly version: number;
}

// Any number that no other program locks: "PaLo".
const LOCK = 0x50_61_4c_6f;

/**
 * Brings the schema up to date. To be called with the pool of a role that may create roles and schemas; workers need no more than
 * the role `palimpsest_worker`. May be called by many at a time. Each migration is one transaction.
 */
export async function migrate(pool: Pool, { lockTimeoutMs = 2_000 }: MigrateOptions = {}): Promise<Migrated> {
  const run = async (what: string, text: string): Promise<void> => {
    try {
      // Several statements in one query are one transaction:
      // one waits for another migration as long as it takes, and for a table as long as was said.
      await pool.query(`SELECT set_config('lock_timeout', '0', true);
SELECT pg_advisory_xact_lock(${LOCK});
SELECT set_config('lock_timeout', '${Math.ceil(lockTimeoutMs)}', true);
${text}`);
    } catch (error) {
      throw toDatabaseError(what, error);
    }
  };
  await run("migrate", BEGINNING);
  const before = await versionOf(pool);
  for (const [index, sql] of MIGRATIONS.entries()) {
    if (index + 1 > before) await run(`migration ${index + 1}`, migrationSql(index + 1, sql));
  }
  return { before, version: Math.max(before, MIGRATIONS.length) };
}

async function versionOf(pool: Pool): Promise<number> {
  const { rows } = await pool.query("SELECT coalesce(max(number), 0)::int AS version FROM palimpsest.migration");
  return Number((rows[0] as { version: number }).version);
}

/** Roles belong to all databases of a server: another migration may create them at the same moment. */
const BEGINNING = `DO $$
DECLARE
  v_role text;
BEGIN
  FOREACH v_role IN ARRAY ARRAY['palimpsest_owner', 'palimpsest_worker'] LOOP
    BEGIN
      EXECUTE format('CREATE ROLE %I NOLOGIN', v_role);
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
    END;
  END LOOP;
  IF NOT pg_has_role('palimpsest_owner', 'MEMBER') THEN EXECUTE format('GRANT palimpsest_owner TO %I', current_user); END IF;
  -- What stands there is not announced as a notice again and again.
  IF to_regclass('palimpsest.migration') IS NULL THEN
    CREATE SCHEMA palimpsest AUTHORIZATION palimpsest_owner;
    CREATE TABLE palimpsest.migration (number integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
    ALTER TABLE palimpsest.migration OWNER TO palimpsest_owner;
    GRANT SELECT ON palimpsest.migration TO palimpsest_worker;
  END IF;
END $$`;

/** The owner is a role of its own without any rights elsewhere, so that row-level security binds it, too. */
function migrationSql(number: number, sql: string): string {
  return `SET LOCAL ROLE palimpsest_owner;
SET LOCAL search_path = palimpsest, pg_temp;
DO $migration$ BEGIN
  IF EXISTS (SELECT FROM palimpsest.migration WHERE number = ${number}) THEN RETURN; END IF;
  EXECUTE $sql$${sql}$sql$;
  INSERT INTO palimpsest.migration (number) VALUES (${number});
END $migration$`;
}
