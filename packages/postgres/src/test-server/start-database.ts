import pg from "pg";
import { migrate } from "../migrate.ts";
import { type StartPostgresOptions, startPostgres } from "./start-postgres.ts";

export { tablesOfTenants } from "./tables-of-tenants.ts";

/** A PostgreSQL server for tests, with a pool for each role. */
export interface StartedDatabase {
  readonly host: string;
  /** As an administrator, whom nothing binds. */
  readonly admin: pg.Pool;
  /** As a service would: a role that has `palimpsest_worker` and nothing else. */
  readonly workers: pg.Pool;
  /** As a service that also takes sessions of all tenants to run: it has `palimpsest_dispatcher`, too. */
  readonly dispatchers: pg.Pool;
  /** Another pool, which ends with this. */
  connect(to: pg.PoolConfig): pg.Pool;
  /** Shuts the server down in an instant, as a power cut would, and starts it again. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a PostgreSQL with our schema, and a role that uses it: for tests. Needs the programs of PostgreSQL. */
export async function startDatabase(options: StartPostgresOptions = {}): Promise<StartedDatabase> {
  const server = await startPostgres(options);
  const pools: pg.Pool[] = [];
  const connect: StartedDatabase["connect"] = (to) => {
    const pool = new pg.Pool({ host: server.host, max: 8, ...to });
    // A server that goes away ends idle connections; the next query opens another.
    pools.push(pool.on("error", () => undefined));
    return pool;
  };
  const admin = connect({ user: server.user, database: "postgres" });
  await migrate(admin);
  await admin.query("CREATE ROLE service LOGIN IN ROLE palimpsest_worker");
  await admin.query("CREATE ROLE dispatcher LOGIN IN ROLE palimpsest_worker, palimpsest_dispatcher");
  const workers = connect({ user: "service", database: "postgres" });
  const dispatchers = connect({ user: "dispatcher", database: "postgres" });
  return {
    host: server.host,
    admin,
    workers,
    dispatchers,
    connect,
    crash: server.crash,
    async stop() {
      await Promise.all(pools.map((pool) => pool.end()));
      await server.stop();
    },
  };
}
