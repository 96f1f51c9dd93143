import type { CountedPool } from "palimpsest/telemetry";
import type { Pool } from "./database.ts";
import { toDatabaseError } from "./database-error.ts";
import { MIGRATIONS } from "./migrations/migrations.ts";

/** How long to wait, and how far clocks may differ. */
export interface HealthOptions {
  /** How long the database may take to answer. @default 2,000 */
  readonly timeoutMs?: number;
  /** How far this process's clock may be from the database's. @default 5,000 */
  readonly maxClockSkewMs?: number;
}

/** Whether the database can be used, and its problems in words. */
export interface Health {
  /** `ready`: sessions can be served. `degraded`: they can, but see `problems`. `down`: send requests to another process. */
  readonly state: "ready" | "degraded" | "down";
  /** Each says what to do. Empty if ready. */
  readonly problems: readonly string[];
  /** The newest migration that this release knows. */
  readonly latest: number;
  /** The newest migration in the database; absent if it did not answer. */
  readonly version?: number;
  readonly roundTripMs?: number;
  /** The time here minus that of the database. */
  readonly clockSkewMs?: number;
  /** Absent if the pool does not count its connections. */
  readonly pool?: { readonly total: number; readonly idle: number; readonly waiting: number };
}

interface Answer {
  readonly version: number;
  readonly now_ms: number;
  readonly standby: boolean;
  readonly missing: readonly string[];
}

/** Checks whether sessions can be served: for the health and readiness checks of a load balancer. Never throws. */
export async function checkHealth(
  pool: Pool & Partial<CountedPool>,
  { timeoutMs = 2_000, maxClockSkewMs = 5_000 }: HealthOptions = {},
): Promise<Health> {
  const latest = MIGRATIONS.length;
  const counted = countsOf(pool);
  const base = { latest, pool: counted };
  const waiting =
    counted !== undefined && counted.idle === 0 && counted.waiting > 0
      ? [
          `all ${counted.total} connections of the pool are in use, and ${counted.waiting} calls wait. Use a larger pool, or more processes`,
        ]
      : [];
  const startedAtMs = performance.now();
  try {
    const answer = await within(timeoutMs, readAnswer(pool));
    const roundTripMs = performance.now() - startedAtMs;
    const clockSkewMs = Date.now() - roundTripMs / 2 - answer.now_ms;
    const down = schemaProblems(answer, latest);
    const skewed =
      Math.abs(clockSkewMs) > maxClockSkewMs
        ? [`the clock here is ${Math.round(clockSkewMs).toLocaleString("en-US")} ms from the database's. Set it by NTP`]
        : [];
    const problems = [...down, ...skewed, ...waiting];
    const state = down.length > 0 ? "down" : problems.length > 0 ? "degraded" : "ready";
    return { state, problems, ...base, version: answer.version, roundTripMs, clockSkewMs };
  } catch (error) {
    const told = error instanceof TooLate ? error.message : toDatabaseError("checkHealth", error).message;
    return { state: "down", problems: [told, ...waiting], ...base };
  }
}

function schemaProblems({ version, standby, missing }: Answer, latest: number): readonly string[] {
  const old = `the schema is at version ${version}, and this release needs ${latest}. Run palimpsest database migrate`;
  const newer = `the schema is at version ${version}, newer than this release (${latest}), and has no ${missing.join(", ")} any more. Update the service`;
  return [
    ...(version < latest ? [old] : missing.length > 0 ? [newer] : []),
    ...(standby ? ["the server is a standby, which takes no writes. Connect to the primary"] : []),
  ];
}

/** A newer schema is fine for as long as it has every function of this release. */
async function readAnswer(pool: Pool): Promise<Answer> {
  const found = await pool.query("SELECT to_regclass('palimpsest.migration') IS NOT NULL AS found");
  const isThere = (found.rows[0] as { found: boolean }).found;
  const version = isThere ? "(SELECT coalesce(max(number), 0)::int FROM palimpsest.migration)" : "0";
  const { rows } = await pool.query(
    `SELECT ${version} AS version, extract(epoch FROM clock_timestamp())::float8 * 1000 AS now_ms, pg_is_in_recovery() AS standby,
      ARRAY(SELECT name FROM unnest($1::text[]) AS name WHERE NOT EXISTS (
        SELECT FROM pg_proc WHERE proname = name AND pronamespace = to_regnamespace('palimpsest'))) AS missing`,
    [functionsOfThisRelease()],
  );
  return rows[0] as Answer;
}

function functionsOfThisRelease(): readonly string[] {
  const sql = MIGRATIONS.map((migration) => migration.sql).join("\n");
  const names = new Set<string>();
  // In their order: one that takes another number of values is dropped and made anew.
  for (const [, verb, name] of sql.matchAll(/(CREATE|DROP) (?:OR REPLACE )?FUNCTION (?:IF EXISTS )?(\w+)/g)) {
    if (verb === "DROP") names.delete(name!);
    else names.add(name!);
  }
  return [...names];
}

function countsOf({ totalCount, idleCount, waitingCount }: Partial<CountedPool>): Health["pool"] {
  if (totalCount === undefined || idleCount === undefined || waitingCount === undefined) return undefined;
  return { total: totalCount, idle: idleCount, waiting: waitingCount };
}

class TooLate extends Error {}

async function within<Value>(timeoutMs: number, work: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new TooLate(`the database did not answer within ${timeoutMs.toLocaleString("en-US")} ms`)),
    timeoutMs,
  );
  // If it fails after all, nobody waits for it.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
