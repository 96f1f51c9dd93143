import { migrate, openPostgres } from "@palimpsest/postgres";
import { startDatabase } from "@palimpsest/postgres/test-server";
import { sqliteStore } from "palimpsest/sqlite-store";
import type { Bench } from "../bench.ts";
import { inTemporaryFolder } from "../chaos/temporary-folder.ts";
import { median, round } from "../statistics.ts";
import { compareAppends } from "./compare-appends.ts";
import { countOpeningTrips } from "./count-opening-trips.ts";
import { fillSessions, nameOf, TENANTS } from "./fill-sessions.ts";
import { measureShapes } from "./measure-shapes.ts";
import { runTurns, writeSessions } from "./run-turns.ts";
import { tryCrossings } from "./try-crossings.ts";

const SIZES = {
  full: {
    few: 1_000,
    many: 1_000_000,
    rounds: 12,
    turns: 100,
    writers: [1, 16, 64],
    appendMs: 5_000,
    hotAppends: 20_000,
    longEntries: 100_000,
  },
  quick: {
    few: 100,
    many: 1_000,
    rounds: 3,
    turns: 32,
    writers: [16],
    appendMs: 1_500,
    hotAppends: 1_000,
    longEntries: 5_000,
  },
} as const;
const CONNECTIONS = 16;
/** Every way comes as often behind every other. */
const ORDERS = [
  [0, 1, 2],
  [1, 0, 2],
  [2, 0, 1],
  [2, 1, 0],
  [0, 2, 1],
  [1, 2, 0],
];

/** What a service pays for PostgreSQL, with `fsync` and `synchronous_commit` on, as a role that row-level security binds. */
export const postgresBench: Bench = {
  name: "postgres",
  figures: "waits",
  about: "appends, openings and turns in PostgreSQL with up to 1,000,000 sessions; tenants that try to cross",
  run: ({ size }) =>
    inTemporaryFolder(async (folder) => {
      const { few, many, rounds, turns, writers, appendMs, ...lengths } = SIZES[size];
      const database = await startDatabase({ fsync: "on", settings: { max_wal_size: "8GB" } });
      try {
        // Both databases are on one server and take turns: whatever else the machine does, it does to both.
        await database.admin.query("CREATE DATABASE few");
        const fewAdmin = database.connect({ user: "postgres", database: "few" });
        await migrate(fewAdmin);
        await fillSessions(fewAdmin, few);
        await fillSessions(database.admin, many);
        const bytes = await database.admin.query("SELECT pg_database_size(current_database())::float8 AS bytes");
        // Nothing is in the server's buffers.
        await database.crash();
        const connect = (name: string) =>
          openPostgres({ pool: database.connect({ user: "service", database: name, max: CONNECTIONS }) });
        const [withFew, withMany] = [connect("few"), connect("postgres")];
        const sqlite = sqliteStore({ folder });
        const written = await writeSessions(sqlite, turns);

        const turnMs = { few: [] as number[], many: [] as number[], sqlite: [] as number[] };
        const ways = [
          async () => turnMs.few.push(await runTurns(drawSessions(few, turns), withFew.store)),
          async () => turnMs.many.push(await runTurns(drawSessions(many, turns), withMany.store)),
          async () => turnMs.sqlite.push(await runTurns(written, () => sqlite)),
        ];
        for (let turn = 0; turn < rounds; turn++) {
          // Another order each time: whoever comes behind SQLite finds the disk busy.
          for (const index of ORDERS[turn % ORDERS.length]!) await ways[index]!();
        }
        await sqlite.close();
        const pool = database.connect({ user: "service", database: "postgres", max: CONNECTIONS });
        const appends = await compareAppends(pool, { writers, forMs: appendMs });
        const shapes = await measureShapes(withMany.store({ tenant: "shapes" }), { ...lengths, pool });
        const crossings = await tryCrossings(database);
        const costOf = (name: keyof typeof turnMs): number => round(median(turnMs[name]));
        return {
          append_ratio_to_bare: Math.min(...appends.map(({ ratio }) => ratio)),
          turns_ratio_to_sqlite: round(costOf("sqlite") / costOf("many")),
          open_round_trips: await countOpeningTrips(database.workers),
          sessions: many,
          growth: round(costOf("many") / costOf("few")),
          rls_crossings: crossings.crossed,
          rls_attempts: crossings.attempts,
          database_gb: round(bytes.rows[0].bytes / 1e9),
          turn_ms: { few: costOf("few"), many: costOf("many"), sqlite: costOf("sqlite") },
          encrypted_append_ratio: Math.min(...appends.map(({ encrypted_ratio: ratio }) => ratio)),
          appends,
          shapes,
        };
      } finally {
        await database.stop();
      }
    }),
};

/** Sessions at random, each once. */
function drawSessions(among: number, count: number): readonly { readonly tenant: string; readonly session: string }[] {
  const drawn = new Set<number>();
  while (drawn.size < Math.min(among, count)) drawn.add(Math.floor(Math.random() * among));
  return [...drawn].map((number) => ({ tenant: `tenant-${number % TENANTS}`, session: nameOf(number) }));
}
