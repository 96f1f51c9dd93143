import type { Pool } from "pg";
import { UsageError } from "../workspace/usage-error.ts";
import type { Terminal } from "./terminal.ts";

/** The client of PostgreSQL is optional: most installations of the agent have no database. */
const CLIENT: string = "pg";
/** The variables of which one is enough for the client to find a server. */
const VARIABLES = ["PGHOST", "PGHOSTADDR", "PGDATABASE", "PGUSER", "PGPORT"];

export interface DatabaseOptions {
  /** An address, `postgres://...`. @default the variables of the environment */
  readonly database: string | undefined;
  /** How the database shows this program to its administrator. */
  readonly application: string;
  /** @default the installed client */
  readonly client?: string;
}

/** Connects to PostgreSQL while `work` runs. */
export async function inDatabase<Result>(
  { environment }: Terminal,
  { database, application, client = CLIENT }: DatabaseOptions,
  work: (pool: Pool) => Promise<Result>,
): Promise<Result> {
  const connectionString = database ?? environment["DATABASE_URL"];
  if (connectionString === undefined && !VARIABLES.some((name) => environment[name]))
    throw new UsageError(
      "No database. Give --database postgres://USER@HOST/NAME, or set DATABASE_URL, or PGHOST and PGDATABASE.",
    );
  const { Pool } = await loadClient(client);
  const pool = new Pool({
    ...(connectionString === undefined ? {} : { connectionString }),
    max: 2,
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

async function loadClient(name: string): Promise<{ readonly Pool: typeof Pool }> {
  try {
    return (await import(name)).default;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Error(
      "The client of PostgreSQL is not installed. Install it beside the agent: npm install --global pg. Without installing: npx -p palimpsest-agent -p pg palimpsest ...",
    );
  }
}
