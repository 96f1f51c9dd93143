import { openPostgresDispatch } from "@palimpsest/postgres";
import { startDatabase } from "@palimpsest/postgres/test-server";
import type { Bench } from "../bench.ts";
import { listenTo } from "../listen-to.ts";
import { comparePublishing } from "./compare-publishing.ts";
import { compareTaking } from "./compare-taking.ts";
import { watchStreams } from "./watch-streams.ts";

const SIZES = {
  full: { streams: 200, batches: 40, publishes: 400, fewDue: 100, manyDue: 20_000 },
  quick: { streams: 20, batches: 10, publishes: 60, fewDue: 50, manyDue: 1_000 },
} as const;

/** What a service pays for events and for its queue of work in PostgreSQL, with `fsync` on, and how late a watcher sees a delta. */
export const dispatchBench: Bench = {
  name: "dispatch",
  figures: "waits",
  about:
    "events and work of sessions in PostgreSQL: cost of publishing, delay of deltas, taking among many due sessions",
  async run({ size }) {
    const { streams, batches, publishes, fewDue, manyDue } = SIZES[size];
    const database = await startDatabase({ fsync: "on" });
    const pool = database.dispatchers;
    try {
      const publishing = await comparePublishing(pool, publishes);
      const ways = {
        listening: openPostgresDispatch({ pool, listen: listenTo(database) }),
        polling: openPostgresDispatch({ pool }),
      };
      const watched = {
        listening: await watchStreams(ways.listening, { tenant: "listening", streams, batches }),
        polling: await watchStreams(ways.polling, { tenant: "polling", streams, batches }),
      };
      for (const dispatch of Object.values(ways)) await dispatch.close();
      const taking = await compareTaking(database, { few: fewDue, many: manyDue });
      return { streams, ...publishing, ...taking, ...watched };
    } finally {
      await database.stop();
    }
  },
};
