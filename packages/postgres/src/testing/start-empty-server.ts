import pg from "pg";
import { type StartPostgresOptions, startPostgres } from "../test-server/start-postgres.ts";

export interface EmptyServer {
  readonly host: string;
  connect(database: string, user?: string): pg.Pool;
  /** Creates a database without our schema; as an administrator. */
  createDatabase(name: string): Promise<pg.Pool>;
  stop(): Promise<void>;
}

/** A PostgreSQL without our schema and roles. */
export async function startEmptyServer(options: StartPostgresOptions = {}): Promise<EmptyServer> {
  const server = await startPostgres(options);
  const pools: pg.Pool[] = [];
  const connect = (database: string, user = "postgres"): pg.Pool => {
    const pool = new pg.Pool({ host: server.host, user, database, max: 8 });
    // The server's end ends idle connections.
    pools.push(pool.on("error", () => undefined));
    return pool;
  };
  return {
    host: server.host,
    connect,
    async createDatabase(name) {
      await connect("postgres").query(`CREATE DATABASE ${name}`);
      return connect(name);
    },
    async stop() {
      await Promise.all(pools.map((pool) => pool.end()));
      await server.stop();
    },
  };
}
