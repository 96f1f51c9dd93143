import type { Pool } from "@palimpsest/postgres";

export const ENTRIES_PER_SESSION = 20;
export const TENANTS = 100;
/** Generated in one transaction. */
const SESSIONS_PER_STEP = 20_000;

export function nameOf(number: number): string {
  return `session-${number}`;
}

/** Fills a database with closed sessions of 20 entries, about 10 KB each, by statements of its own. */
export async function fillSessions(admin: Pool, sessions: number): Promise<void> {
  for (let from = 0; from < sessions; from += SESSIONS_PER_STEP) {
    const to = Math.min(sessions, from + SESSIONS_PER_STEP) - 1;
    await admin.query(`WITH begun AS (
  INSERT INTO palimpsest.session (tenant, name, fence, owner, worker, active_at_ms, state, head_sequence, head_hash)
  SELECT 'tenant-' || number % ${TENANTS}, 'session-' || number, 1, 'fill', gen_random_uuid(), 0, 'closed', ${ENTRIES_PER_SESSION},
    sha256(convert_to(number || ':${ENTRIES_PER_SESSION}', 'UTF8'))
  FROM generate_series(${from}, ${to}) AS number RETURNING tenant, number, substr(name, 9) AS id
)
INSERT INTO palimpsest.entry (tenant, session, sequence, parent, kind, version, at_ms, digest, hash, payload)
SELECT tenant, number, sequence, sequence - 1, (ARRAY['message', 'request', 'message', 'usage'])[1 + sequence % 4], 1, 0, hash, hash,
  '{"text":"' || repeat(encode(hash, 'hex'), 6) || '"}'
FROM begun, generate_series(1, ${ENTRIES_PER_SESSION}) AS sequence, LATERAL (SELECT sha256(convert_to(id || ':' || sequence, 'UTF8')) AS hash) AS made`);
  }
  await admin.query("VACUUM ANALYZE palimpsest.session, palimpsest.entry");
  await admin.query("CHECKPOINT");
}
