// Any number that no other program locks: "PaLo".
export const LOCK = 0x50_61_4c_6f;

/** The roles as which a migration acts: who owns the tables, and who owns the function that takes work of all tenants. */
export const OWNERS: readonly string[] = ["palimpsest_owner", "palimpsest_queue"];

/** All roles: the owners, who serves sessions, who may list tenants, who may take work of all tenants. */
export const ROLES: readonly string[] = [
  ...OWNERS,
  "palimpsest_worker",
  "palimpsest_operator",
  "palimpsest_dispatcher",
];

/** Roles belong to all databases of a server: another migration may create them at the same moment. */
export const BEGINNING: string = `DO $$
DECLARE
  v_role text;
BEGIN
  FOREACH v_role IN ARRAY ${arrayOf(ROLES)} LOOP
    -- Where an administrator has created them, the right to create roles is not needed.
    IF to_regrole(v_role) IS NULL THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN', v_role);
      EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
      END;
    END IF;
  END LOOP;
  -- From PostgreSQL 16 on, who has created a role is a member that cannot act as this role.
  FOREACH v_role IN ARRAY ${arrayOf(OWNERS)} LOOP
    IF NOT pg_has_role(v_role, CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END) THEN
      EXECUTE format('GRANT %I TO %I', v_role, current_user);
    END IF;
  END LOOP;
  -- What stands there is not announced as a notice again and again.
  IF to_regclass('palimpsest.migration') IS NULL THEN
    IF to_regnamespace('palimpsest') IS NULL THEN CREATE SCHEMA palimpsest AUTHORIZATION palimpsest_owner; END IF;
    SET LOCAL ROLE palimpsest_owner;
    CREATE TABLE palimpsest.migration (number integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
    GRANT SELECT ON palimpsest.migration TO palimpsest_worker;
  END IF;
END $$`;

/** The owner is a role of its own without any rights elsewhere, so that row-level security binds it, too. */
export function migrationSql(number: number, sql: string): string {
  return `SET LOCAL ROLE palimpsest_owner;
SET LOCAL search_path = palimpsest, pg_temp;
DO $migration$ BEGIN
  IF EXISTS (SELECT FROM palimpsest.migration WHERE number = ${number}) THEN RETURN; END IF;
  EXECUTE $sql$${sql}$sql$;
  INSERT INTO palimpsest.migration (number) VALUES (${number});
END $migration$;`;
}

function arrayOf(names: readonly string[]): string {
  return `ARRAY[${names.map((name) => `'${name}'`).join(", ")}]`;
}
