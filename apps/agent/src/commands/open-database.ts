import type { Client, Pool } from "pg";
import { UsageError } from "../workspace/usage-error.ts";
import type { Terminal } from "./terminal.ts";

/** The PostgreSQL client is optional, because most installations of the agent use no database. */
const CLIENT: string = "pg";
/** The client finds a server if one of these variables is set. */
const VARIABLES = ["PGHOST", "PGHOSTADDR", "PGDATABASE", "PGUSER", "PGPORT"];

interface DatabaseOptions {
  /** An address, `postgres://...`. @default the variables of the environment */
  readonly database: string | undefined;
  /** The name of this program in the database's list of connections. */
  readonly application: string;
  /** The maximum number of connections at a time. @default 2 */
  readonly connections?: number;
  /** The package of the client. @default the installed client */
  readonly client?: string;
}

/** Connects to PostgreSQL while `work` runs. */
export async function inDatabase<Result>(
  { environment }: Terminal,
  { database, application, connections = 2, client = CLIENT }: DatabaseOptions,
  work: (pool: Pool) => Promise<Result>,
): Promise<Result> {
  const connectionString = database ?? environment["DATABASE_URL"];
  if (!hasDatabase(environment, database))
    throw new UsageError(
      "No database. Give --database postgres://USER@HOST/NAME, or set DATABASE_URL, or PGHOST and PGDATABASE.",
    );
  const { Pool } = await loadClient(client);
  const pool = new Pool({
    connectionString,
    max: connections,
    application_name: application,
  });
  // A connection that fails while idle is replaced by the next query, which reports the problem.
  pool.on("error", () => undefined);
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

/** Opens a single connection without a pool, for notifications. */
export async function connectDirectly(connectionString: string, application: string): Promise<Client> {
  const { Client } = await loadClient(CLIENT);
  const client = new Client({ connectionString, application_name: application });
  await client.connect();
  return client;
}

/** Whether the user has named a database. */
export function hasDatabase(environment: Terminal["environment"], database: string | undefined): boolean {
  const address = database ?? environment["DATABASE_URL"];
  return address !== undefined || VARIABLES.some((name) => environment[name]);
}

async function loadClient(name: string): Promise<{ readonly Pool: typeof Pool; readonly Client: typeof Client }> {
  try {
    return (await import(name)).default;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Error(
      "The client of PostgreSQL is not installed. Install it with the agent: npm install --global pg. Without installing: npx -p palimpsest-agent -p pg palimpsest ...",
    );
  }
}
