import { setTimeout as wait } from "node:timers/promises";
import type { PostgresDispatch } from "@palimpsest/postgres";
import type { Figures } from "../bench.ts";
import { percentile, round } from "../statistics.ts";

/** Between two batches of one session: what `publishEvents` collects, and then some. */
const EVERY_MS = 500;

interface WatchOptions {
  readonly tenant: string;
  readonly streams: number;
  readonly batches: number;
}

/** Watches sessions that publish now and then, each by one watcher of this process, and counts what they see. */
export async function watchStreams(
  dispatch: PostgresDispatch,
  { tenant, streams, batches }: WatchOptions,
): Promise<Figures> {
  const { events } = dispatch.tenant(tenant);
  const delaysMs: number[] = [];
  let missed = 0;
  let twice = 0;
  const names = Array.from({ length: streams }, (_, index) => `s${index}`);
  const watching = names.map(async (session) => {
    let seen = 0;
    for await (const each of events.watch(session, { after: 0 })) {
      if (each.kind !== "event") throw new Error(each.kind);
      delaysMs.push(performance.now() - (each.event as { publishedMs: number }).publishedMs);
      if (each.offset <= seen) twice++;
      if (each.offset > seen + 1) missed += each.offset - seen - 1;
      seen = each.offset;
      if (seen === batches) return;
    }
  });
  await Promise.all(
    names.map(async (session, index) => {
      // Spread out, as sessions are.
      await wait((index / streams) * EVERY_MS);
      for (let batch = 0; batch < batches; batch++) {
        await events.publish(session, [{ kind: "text", text: "some words", publishedMs: performance.now() }]);
        await wait(EVERY_MS);
      }
    }),
  );
  await Promise.all(watching);
  return {
    events: delaysMs.length,
    missed,
    twice,
    // From before the event was published until the watcher had it.
    delta_ms_p50: round(percentile(delaysMs, 50)),
    delta_ms_p95: round(percentile(delaysMs, 95)),
  };
}
