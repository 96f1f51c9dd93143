import pg from "pg";
import { migrate } from "../migrate.ts";
import { type StartPostgresOptions, startPostgres } from "./start-postgres.ts";

export interface StartedDatabase {
  readonly host: string;
  /** As an administrator, whom nothing binds. */
  readonly admin: pg.Pool;
  /** As a service would: a role that has `palimpsest_worker` and nothing else. */
  readonly workers: pg.Pool;
  /** Another pool, which ends with this. */
  connect(to: { readonly user: string; readonly database: string }): pg.Pool;
  stop(): Promise<void>;
}

/** A PostgreSQL with our schema, and a role that uses it. */
export async function startDatabase(options: StartPostgresOptions = {}): Promise<StartedDatabase> {
  const server = await startPostgres(options);
  const pools: pg.Pool[] = [];
  const connect: StartedDatabase["connect"] = ({ user, database }) => {
    const pool = new pg.Pool({ host: server.host, user, database, max: 8 });
    // A server that goes away ends idle connections; the next query opens another.
    pools.push(pool.on("error", () => undefined));
    return pool;
  };
  const admin = connect({ user: server.user, database: "postgres" });
  await migrate(admin);
  await admin.query("CREATE ROLE service LOGIN IN ROLE palimpsest_worker");
  const workers = connect({ user: "service", database: "postgres" });
  return {
    host: server.host,
    admin,
    workers,
    connect,
    async stop() {
      await Promise.all(pools.map((pool) => pool.end()));
      await server.stop();
    },
  };
}
