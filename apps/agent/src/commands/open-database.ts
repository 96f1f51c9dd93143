import type { Client, Pool } from "pg";
import { UsageError } from "../workspace/usage-error.ts";
import type { Terminal } from "./terminal.ts";

/** The client of PostgreSQL is optional: most installations of the agent have no database. */
const CLIENT: string = "pg";
/** The variables of which one is enough for the client to find a server. */
const VARIABLES = ["PGHOST", "PGHOSTADDR", "PGDATABASE", "PGUSER", "PGPORT"];

interface DatabaseOptions {
  /** An address, `postgres://...`. @default the variables of the environment */
  readonly database: string | undefined;
  /** How the database shows this program to its administrator. */
  readonly application: string;
  /** The most connections at a time. @default 2 */
  readonly connections?: number;
  /** @default the installed client */
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
  // A connection that ends while it is idle is replaced by the next query, which reports what is wrong.
  pool.on("error", () => undefined);
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

/** Opens one connection, not one of a pool: to listen on. */
export async function connectDirectly(connectionString: string, application: string): Promise<Client> {
  const { Client } = await loadClient(CLIENT);
  const client = new Client({ connectionString, application_name: application });
  await client.connect();
  return client;
}

/** Whether somebody has said which database to use. */
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
      "The client of PostgreSQL is not installed. Install it beside the agent: npm install --global pg. Without installing: npx -p palimpsest-agent -p pg palimpsest ...",
    );
  }
}
