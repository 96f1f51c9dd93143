import { openPostgresDispatch } from "@palimpsest/postgres";
import type { StartedDatabase } from "@palimpsest/postgres/test-server";
import type { Figures } from "../bench.ts";
import { median, round } from "../statistics.ts";

const TENANTS = 50;
const TAKEN = 16;
const ROUNDS = 15;

/** Takes and finishes sessions while few are due, and while many are. */
export async function compareTaking(
  { admin, dispatchers }: StartedDatabase,
  { few, many }: { readonly few: number; readonly many: number },
): Promise<Figures> {
  const { queue } = openPostgresDispatch({ pool: dispatchers });
  const measure = async (due: number): Promise<number> => {
    await admin.query("TRUNCATE palimpsest.wakeup");
    await admin.query(
      `INSERT INTO palimpsest.wakeup (tenant, session, due_at_ms, version)
       SELECT 'tenant-' || (number % ${TENANTS}), 's' || number, number, 1 FROM generate_series(1, $1::int) AS number`,
      [due],
    );
    await admin.query("ANALYZE palimpsest.wakeup");
    const tookMs: number[] = [];
    for (let turn = 0; turn < ROUNDS; turn++) {
      const startMs = performance.now();
      const { runs } = await queue.take({ limit: TAKEN });
      tookMs.push((performance.now() - startMs) / Math.max(1, runs.length));
      for (const run of runs) await run.release();
    }
    return median(tookMs);
  };
  const [ofFew, ofMany] = [await measure(few), await measure(many)];
  await admin.query("TRUNCATE palimpsest.wakeup");
  return { due: many, take_growth: round(ofMany / ofFew), take_ms_per_session: round(ofMany) };
}
