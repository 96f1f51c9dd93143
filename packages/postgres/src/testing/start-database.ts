import pg from "pg";
import { migrate } from "../migrate.ts";
import { type StartPostgresOptions, startPostgres } from "./start-postgres.ts";

export interface StartedDatabase {
  readonly host: string;
  /** As an administrator, whom nothing binds. */
  readonly admin: pg.Pool;
  /** As a service would: a role that has `palimpsest_worker` and nothing else. */
  readonly workers: pg.Pool;
  stop(): Promise<void>;
}

/** A PostgreSQL with our schema, and a role that uses it. */
export async function startDatabase(options: StartPostgresOptions = {}): Promise<StartedDatabase> {
  const server = await startPostgres(options);
  const connect = (user: string): pg.Pool => {
    const pool = new pg.Pool({ host: server.host, user, database: "postgres", max: 8 });
    // A server that goes away ends idle connections; the next query opens another.
    return pool.on("error", () => undefined);
  };
  const admin = connect(server.user);
  await migrate(admin);
  await admin.query("CREATE ROLE service LOGIN IN ROLE palimpsest_worker");
  const workers = connect("service");
  return {
    host: server.host,
    admin,
    workers,
    async stop() {
      await Promise.all([admin.end(), workers.end()]);
      await server.stop();
    },
  };
}
