import { createRateLimits, type RateSource } from "@palimpsest/coordination";
import { postgresRateSource } from "@palimpsest/postgres";
import { startDatabase } from "@palimpsest/postgres/test-server";
import type { Bench } from "../bench.ts";
import { median, round } from "../statistics.ts";

const SIZES = {
  full: { workers: 16, rounds: 7, roundMs: 3_000 },
  quick: { workers: 8, rounds: 2, roundMs: 600 },
} as const;
/** Far more than the machine can take: only the way to the limit is measured. */
const LIMIT = { requestsPerMinute: 60_000_000, tokensPerMinute: 6_000_000_000 };
const TOKENS = 1_000;

/** What a shared limit of a provider costs: an exchange with the database for every request, or portions of a second. */
export const ratesBench: Bench = {
  name: "rates",
  figures: "waits",
  about:
    "requests per second that workers let through a limit in one database: a row for every request against portions",
  run: async ({ size }) => {
    const { workers, rounds, roundMs } = SIZES[size];
    const database = await startDatabase({ fsync: "on" });
    try {
      const pool = database.connect({ user: "service", database: "postgres", max: workers });
      const source = countExchanges(postgresRateSource({ pool }));
      const perSecond = { row: [] as number[], portions: [] as number[] };
      const exchanges = { row: 0, portions: 0 };
      for (let turn = 0; turn < rounds; turn++) {
        // Another order each time.
        for (const way of turn % 2 === 0 ? (["row", "portions"] as const) : (["portions", "row"] as const)) {
          const before = source.exchanges();
          perSecond[way].push(await takeForAWhile(source, { workers, roundMs, portionMs: way === "row" ? 0 : 1_000 }));
          exchanges[way] += source.exchanges() - before;
        }
      }
      const [row, portions] = [median(perSecond.row), median(perSecond.portions)];
      return {
        workers,
        takes_per_second: { row_per_request: Math.round(row), portions: Math.round(portions) },
        exchanges,
        ratio: round(portions / row),
      };
    } finally {
      await database.stop();
    }
  },
};

function countExchanges(source: RateSource): RateSource & { exchanges(): number } {
  let exchanges = 0;
  return {
    exchange(...call) {
      exchanges++;
      return source.exchange(...call);
    },
    pause: source.pause,
    exchanges: () => exchanges,
  };
}

/** Every worker has limits of its own and one tenant, and sends one request after the other. */
async function takeForAWhile(
  source: RateSource,
  { workers, roundMs, portionMs }: { workers: number; roundMs: number; portionMs: number },
): Promise<number> {
  let taken = 0;
  const startMs = performance.now();
  await Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      const limits = createRateLimits({ source, portionMs, limitOf: () => LIMIT });
      const request = { bucket: { key: "key", model: "model" }, tenant: `tenant-${worker}`, tokens: TOKENS };
      while (performance.now() - startMs < roundMs) {
        const turns = limits.take(request);
        let step = await turns.next();
        while (step.done !== true) step = await turns.next();
        if (step.value.kind === "taken") step.value.settle(TOKENS);
        taken++;
        // A request would take its time here; other workers have theirs.
        if (taken % 100 === 0) await new Promise(setImmediate);
      }
      await limits.close();
    }),
  );
  return (taken * 1_000) / (performance.now() - startMs);
}
