import type { Pool } from "./database.ts";
import { toDatabaseError } from "./database-error.ts";
import { findLockHolders, findMissingRights } from "./migrations/explain-refusal.ts";
import { BEGINNING, LOCK, migrationSql } from "./migrations/migration-sql.ts";
import { MIGRATIONS } from "./migrations/migrations.ts";

/** How long to wait for locks, and which roles get rights. */
export interface MigrateOptions {
  /**
   * How long a migration waits for a lock. Statements that come later wait behind it: give up early, and try again.
   * @default 2,000
   */
  readonly lockTimeoutMs?: number;
  /** An existing role that gets the rights of a service (`palimpsest_worker`). @default none */
  readonly workerRole?: string;
  /** An existing role that gets the rights of a service, and may list tenants (`palimpsest_operator`). @default none */
  readonly operatorRole?: string;
  /** An existing role that gets the rights of a service, and may take sessions of all tenants to run (`palimpsest_dispatcher`). @default none */
  readonly dispatcherRole?: string;
}

/** The version of the schema before and after. */
export interface Migrated {
  /** The number of the newest migration that was found; 0 in an empty database. */
  readonly before: number;
  /** The number of the newest migration now: higher than this release knows, if a newer one was here. */
  readonly version: number;
}

/** The version of the schema, and the migrations that it lacks. */
export interface MigrationPlan {
  /** The number of the newest migration in the database; 0 in an empty one. */
  readonly version: number;
  /** The number of the newest migration that this release knows. */
  readonly latest: number;
  readonly pending: readonly PendingMigration[];
}

/** A migration that was not applied yet. */
export interface PendingMigration {
  readonly number: number;
  readonly name: string;
  /** All statements, to be run as one transaction: `psql --single-transaction` takes them. */
  readonly sql: string;
}

/** How long a migration waits for another process that migrates. */
const OTHERS_TIMEOUT_MS = 60_000;

/** Lists the migrations that `migrate` would run. Changes nothing. */
export async function planMigrations(pool: Pool): Promise<MigrationPlan> {
  try {
    const { rows } = await pool.query("SELECT to_regclass('palimpsest.migration') IS NOT NULL AS found");
    const version = (rows[0] as { found: boolean }).found ? await versionOf(pool) : 0;
    const first = { number: 0, name: "roles and schema", sql: `${BEGINNING};` };
    const pending = numbered().filter(({ number }) => number > version);
    return { version, latest: MIGRATIONS.length, pending: version === 0 ? [first, ...pending] : pending };
  } catch (error) {
    throw await explained(pool, "migrate", error, 0);
  }
}

/**
 * Brings the schema up to date. Call it with the pool of a role that may create roles and schemas, or for which an administrator
 * has created them; an error names the grants that are missing. May be called by many at a time. Each migration is one transaction.
 */
export async function migrate(
  pool: Pool,
  { lockTimeoutMs = 2_000, workerRole, operatorRole, dispatcherRole }: MigrateOptions = {},
): Promise<Migrated> {
  const timeoutMs = Math.ceil(lockTimeoutMs);
  const run = async (what: string, text: string): Promise<void> => {
    try {
      // Several statements in one query are one transaction.
      await pool.query(`SELECT set_config('lock_timeout', '${OTHERS_TIMEOUT_MS}', true);
SELECT pg_advisory_xact_lock(${LOCK});
SELECT set_config('lock_timeout', '${timeoutMs}', true);
${text}`);
    } catch (error) {
      throw await explained(pool, what, error, timeoutMs);
    }
  };
  await run("migrate", BEGINNING);
  const before = await versionOf(pool);
  for (const { number, name, sql } of numbered()) {
    if (number > before) await run(`migration ${number} (${name})`, sql);
  }
  for (const [right, role] of [
    ["palimpsest_worker", workerRole],
    ["palimpsest_worker", operatorRole],
    ["palimpsest_operator", operatorRole],
    ["palimpsest_worker", dispatcherRole],
    ["palimpsest_dispatcher", dispatcherRole],
  ] as const)
    if (role !== undefined) await grantRole(pool, right, role);
  return { before, version: Math.max(before, MIGRATIONS.length) };
}

function numbered(): readonly PendingMigration[] {
  return MIGRATIONS.map(({ name, sql }, index) => ({ number: index + 1, name, sql: migrationSql(index + 1, sql) }));
}

/** The number of the newest migration in the database. */
async function versionOf(pool: Pool): Promise<number> {
  const { rows } = await pool.query("SELECT coalesce(max(number), 0)::int AS version FROM palimpsest.migration");
  return Number((rows[0] as { version: number }).version);
}

async function grantRole(pool: Pool, right: string, role: string): Promise<void> {
  const statement = `GRANT ${right} TO ${role}`;
  try {
    const { rows } = await pool.query(
      "SELECT pg_has_role($1, $2, 'MEMBER') AS has, format('GRANT %I TO %I', $2::text, $1::text) AS sql",
      [role, right],
    );
    const { has, sql } = rows[0] as { has: boolean; sql: string };
    if (!has) await pool.query(sql);
  } catch (error) {
    const code = (error as { readonly code?: unknown }).code;
    const remedy =
      code === "42704"
        ? `there is no role ${role}. Create it first: CREATE ROLE ${role} LOGIN`
        : code === "42501"
          ? `an administrator has to run: ${statement}`
          : undefined;
    throw toDatabaseError(statement, error, remedy);
  }
}

/** With the grant that is missing, or the process that holds the lock, as far as this role may see it. */
async function explained(pool: Pool, what: string, error: unknown, timeoutMs: number): Promise<Error> {
  const code = (error as { readonly code?: unknown }).code;
  const remedy =
    code === "42501"
      ? await findMissingRights(pool).catch(() => undefined)
      : code === "55P03"
        ? await findLockHolders(pool, timeoutMs).catch(() => undefined)
        : undefined;
  return toDatabaseError(what, error, remedy);
}
