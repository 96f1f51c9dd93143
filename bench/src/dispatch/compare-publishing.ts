import { openPostgres, openPostgresDispatch, type Pool } from "@palimpsest/postgres";
import { EMPTY_LOG, sealEntries, sha256 } from "palimpsest/core";
import type { Figures } from "../bench.ts";
import { median, round } from "../statistics.ts";

/** Sessions that publish or append at the same time. */
const AT_ONCE = 8;
const ROUNDS = 5;
/** Some words of an answer: a twentieth of a second of it. */
const DELTA = { kind: "text", text: "a dozen words or so, as a model says them in one breath. " };

/** Publishes a delta, and appends an entry of the same size to a log, in alternation. */
export async function comparePublishing(pool: Pool, count: number): Promise<Figures> {
  const tenant = "publishing";
  const silent = openPostgresDispatch({ pool }).tenant(tenant).events;
  const ringing = openPostgresDispatch({ pool, notify: "always" }).tenant(tenant).events;
  const store = openPostgres({ pool }).store({ tenant });
  const writers = await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, index) => {
      const opened = await store.openWriter(`s${index}`, { owner: "bench" });
      if (opened.kind === "busy") throw new Error("busy");
      return { writer: opened.writer, head: EMPTY_LOG };
    }),
  );
  const ways = {
    publish: async (index: number) => void (await silent.publish(`s${index}`, [DELTA])),
    publish_and_notify: async (index: number) => void (await ringing.publish(`s${index}`, [DELTA])),
    async append(index: number) {
      const log = writers[index]!;
      const draft = { kind: "message", version: 1, payload: JSON.stringify(DELTA) };
      const result = await log.writer.append(sealEntries([draft], { head: log.head, atMs: 1, digest: sha256 }));
      if (result.kind === "appended") log.head = result.head;
    },
  };
  const rates: Record<string, number[]> = { publish: [], publish_and_notify: [], append: [] };
  for (let turn = 0; turn < ROUNDS; turn++) {
    for (const [name, run] of Object.entries(ways)) {
      const startMs = performance.now();
      await Promise.all(
        writers.map(async (_, index) => {
          for (let done = 0; done < count / ROUNDS; done++) await run(index);
        }),
      );
      rates[name]!.push((performance.now() - startMs) / ((AT_ONCE * count) / ROUNDS));
    }
  }
  await store.close();
  const [publish, notify, append] = ["publish", "publish_and_notify", "append"].map((name) => median(rates[name]!));
  return {
    publish_ratio_to_append: round(publish! / append!),
    notify_ratio_to_append: round(notify! / append!),
    publishes_per_s: round(1_000 / publish!),
  };
}
