import type { Pool } from "../database.ts";
import { LOCK, OWNERS, ROLES } from "./migration-sql.ts";

const VERSION = "current_setting('server_version_num')::int";
/** From PostgreSQL 16 on, a member of a role may be one that cannot act as this role. */
const MAY_ACT = `pg_has_role(to_regrole(name), CASE WHEN ${VERSION} < 160000 THEN 'MEMBER' ELSE 'SET' END)`;

/** The statements that an administrator has to run before this role can migrate; undefined if none is known. */
export async function findMissingRights(pool: Pool): Promise<string | undefined> {
  const { rows } = await pool.query(
    `SELECT quote_ident(current_user) AS role, quote_ident(current_database()) AS database,
      (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user) AS creates_roles,
      -- From PostgreSQL 16 on, a role that may create roles may grant only those that it has created itself.
      (SELECT rolsuper OR rolcreaterole AND ${VERSION} < 160000 FROM pg_roles WHERE rolname = current_user) AS grants_roles,
      ARRAY(SELECT name FROM unnest($1::text[]) AS name WHERE to_regrole(name) IS NULL) AS absent,
      ARRAY(SELECT name FROM unnest($2::text[]) AS name WHERE NOT coalesce(${MAY_ACT} OR
        pg_has_role(to_regrole(name), 'MEMBER WITH ADMIN OPTION'), false)) AS unowned,
      has_database_privilege(current_database(), 'CREATE') OR to_regnamespace('palimpsest') IS NOT NULL AS creates_schema`,
    [ROLES, OWNERS],
  );
  const found = rows[0] as {
    readonly role: string;
    readonly database: string;
    readonly creates_roles: boolean;
    readonly grants_roles: boolean;
    readonly absent: readonly string[];
    /** The owners as which it may not act, and which it may not grant to itself. */
    readonly unowned: readonly string[];
    readonly creates_schema: boolean;
  };
  const { role, database } = found;
  // It may grant the roles that it creates.
  const ungranted = found.creates_roles ? found.unowned.filter((name) => !found.absent.includes(name)) : found.unowned;
  const statements = [
    ...(found.creates_roles ? [] : found.absent.map((name) => `CREATE ROLE ${name} NOLOGIN`)),
    ...(found.grants_roles ? [] : ungranted.map((name) => `GRANT ${name} TO ${role}`)),
    ...(found.creates_schema ? [] : [`GRANT CREATE ON DATABASE ${database} TO ${role}`]),
  ];
  if (statements.length === 0) return undefined;
  return `the role ${role} may not do it. An administrator has to run: ${statements.join("; ")}`;
}

/** Who has held a lock for at least this long; undefined if nobody does any more. */
export async function findLockHolders(pool: Pool, heldForMs: number): Promise<string | undefined> {
  const { rows } = await pool.query(
    `SELECT activity.pid, activity.usename AS role, activity.application_name AS application,
      extract(epoch FROM clock_timestamp() - activity.xact_start)::int AS seconds,
      coalesce(string_agg(DISTINCT 'palimpsest.' || relation.relname, ', '), 'the migration itself') AS what
    FROM pg_locks AS held JOIN pg_stat_activity AS activity USING (pid) LEFT JOIN pg_class AS relation ON relation.oid = held.relation
    WHERE held.granted AND held.pid <> pg_backend_pid() AND activity.datname = current_database()
      AND (relation.relnamespace = to_regnamespace('palimpsest') AND relation.relkind IN ('r', 'p')
        OR held.locktype = 'advisory' AND held.objid = $2)
      AND (activity.xact_start IS NULL OR activity.xact_start < clock_timestamp() - $1 * interval '1 millisecond')
    GROUP BY activity.pid, activity.usename, activity.application_name, activity.xact_start ORDER BY activity.xact_start LIMIT 3`,
    [heldForMs, LOCK],
  );
  const holders = rows as readonly Holder[];
  if (holders.length === 0) return undefined;
  const list = holders.map(holderText).join("; ");
  const ending = `SELECT pg_terminate_backend(${holders[0]!.pid})`;
  return `nothing was changed: a lock was not free for ${heldForMs.toLocaleString("en-US")} ms. ${list}. Try again, or end that transaction: ${ending}`;
}

interface Holder {
  readonly pid: number;
  readonly role: string | null;
  readonly application: string | null;
  /** Null where this role may not see it. */
  readonly seconds: number | null;
  readonly what: string;
}

function holderText({ pid, role, application, seconds, what }: Holder): string {
  const details = [
    `role ${role ?? "unknown"}`,
    ...(application ? [`application ${application}`] : []),
    ...(seconds === null ? [] : [`in a transaction for ${seconds} s`]),
  ];
  return `Process ${pid} (${details.join(", ")}) holds ${what}`;
}
