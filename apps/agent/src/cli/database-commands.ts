import { type Flag, JSON_OUTPUT, type Value } from "./command-options.ts";

const DATABASE: Value = {
  type: "string",
  value: "URL",
  about: "the database: postgres://USER@HOST/NAME; default: DATABASE_URL, or PGHOST, PGDATABASE and PGUSER",
};
const PASSWORDS =
  "Other users of this machine can see an address on the command line. Put passwords into DATABASE_URL or PGPASSWORD.";

/** Commands about sessions of a service in PostgreSQL. */
export const DATABASE_COMMANDS = {
  migrate: {
    usage: "migrate [--database URL] [--dry-run [--sql]]",
    about: "create or update the tables of a service in PostgreSQL, while the service runs",
    more: [
      "Run it before the new version of the service starts. Each migration is one transaction that gives up if a lock is not free in time; then nothing has changed, and you can run the command again. The version before keeps working.",
      "The role needs the rights to create roles and a schema. Without them, the error lists the statements that an administrator has to run.",
      PASSWORDS as string,
    ],
    options: {
      database: DATABASE as Value,
      "dry-run": { type: "boolean", about: "list the migrations that would run; change nothing" },
      sql: { type: "boolean", about: "with --dry-run: print their SQL, for psql" },
      "worker-role": { type: "string", value: "NAME", about: "give the role of your service its rights" },
      "operator-role": {
        type: "string",
        value: "NAME",
        about: "give a role the rights for palimpsest tenant and palimpsest expire",
      },
      "dispatcher-role": {
        type: "string",
        value: "NAME",
        about: "give a role the rights of a worker that runs sessions of all tenants",
      },
      "lock-timeout": {
        type: "string",
        value: "MS",
        about: "how long a migration waits for a lock, in milliseconds; default: 2000",
      },
      json: JSON_OUTPUT as Flag,
    },
    examples: [
      ["palimpsest migrate --worker-role service", "create the tables, and let the role service use them"],
      ["palimpsest migrate --dry-run --sql | less", "read the SQL first"],
    ],
    endings: ["failed"],
  },
} as const;
